# SPDX-License-Identifier: Apache-2.0
"""Calls of MLI 2.0 whose output is a part of a result: the whole, and what is written of it."""

import numpy as np

from tests.support.calls.mli2 import PATTERN, fx, sa
from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import (
    mli_conv2d_cfg,
    mli_permute_cfg,
    mli_pool_cfg,
)
from xymac.golden.api.mli2.types import mli_tensor

__all__ = ["PARTS", "part_of"]

IMAGE, POOL = (5, 5, 3), mli_pool_cfg(kernel_width=3, kernel_height=3)


def _random(shape, dtype):
    limits = np.iinfo(dtype)
    return random_of(len(shape)).integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _convolution(shape, **fields):
    return lambda: (
        mli_tensor(_random(IMAGE, np.int16), el_params=fx(7)),
        mli_tensor(_random(shape, np.int16), el_params=fx(15)),
        mli_tensor(_random(shape[3:], np.int16), el_params=fx(7)), mli_conv2d_cfg(**fields))


def _moving(cfg, dtype=np.int16):
    params = fx(7) if dtype is np.int16 else sa(3, 20000, 14)
    return lambda: (mli_tensor(_random(IMAGE, dtype), el_params=params), cfg)


#: Function, arguments but for the output, shape of the whole result, shape of the part.
PARTS = [
    ("mli_krn_conv2d_hwcn_fx16", _convolution((3, 3, 3, 4)), (3, 3, 4), (2, 3, 4)),
    ("mli_krn_conv2d_hwcn_fx16", _convolution((3, 3, 3, 4)), (3, 3, 4), (3, 1, 4)),
    ("mli_krn_conv2d_hwcn_fx16_k3x3", _convolution((3, 3, 3, 4)), (3, 3, 4), (1, 1, 4)),
    ("mli_krn_depthwise_conv2d_hwcn_fx16", _convolution((3, 3, 1, 3)), (3, 3, 3), (2, 2, 3)),
    ("mli_krn_group_conv2d_hwcn_fx16", _convolution((3, 3, 1, 6)), (3, 3, 6), (2, 3, 6)),
    ("mli_krn_transpose_conv2d_hwcn_fx16", _convolution((3, 3, 3, 4)), (7, 7, 4), (4, 7, 4)),
    ("mli_krn_maxpool_hwc_fx16", _moving(POOL), (3, 3, 3), (2, 3, 3)),
    ("mli_krn_avepool_hwc_fx16", _moving(POOL), (3, 3, 3), (2, 3, 3)),
    ("mli_krn_avepool_hwc_sa8", _moving(POOL, np.int8), (3, 3, 3), (3, 2, 3)),
    ("mli_krn_permute_fx16", _moving(mli_permute_cfg((2, 0, 1))), (3, 5, 5), (2, 4, 3)),
]


def part_of(make, whole, shape, *, gaps=True):
    """Arguments of a call with an output of a shape, and its memory.

    The memory has room for the whole result, and the strides of that if there are gaps.
    """
    args   = make()
    dtype  = {16: np.int16, 8: np.int8}[args[0].el_type & 0xff]
    memory = np.full(int(np.prod(whole)) + 5, PATTERN, dtype)
    out    = mli_tensor(memory, shape, el_type=args[0].el_type, el_params=args[0].el_params)
    if gaps:
        out.mem_stride = (whole[1] * whole[2], whole[2], 1, 0)
    return (*args, out), memory

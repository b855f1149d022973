# SPDX-License-Identifier: Apache-2.0
"""Moves of MLI 2.0: random ones, and what they do in plain loops."""

import numpy as np

from tests.support.calls.mli2 import PATTERN, fx, sa
from tests.support.calls.strided import random_strides
from tests.support.seed import random_of
from xymac.golden.api.mli2.memory import read, span, strides_of
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t
from xymac.golden.api.mli2.types import mli_data_container, mli_element_type, mli_tensor

__all__ = ["TYPES", "move_of", "moved"]

#: Element types that are moved, their numpy types and parameters.
TYPES = {"FX_8": (np.int8, fx(3)), "FX_16": (np.int16, fx(9)), "SA_8": (np.int8, sa(-7, 9000, 13)),
         "SA_32": (np.int32, sa(5, 12000, 22)), "FP_32": (np.float32, fx(0))}


def _tensor(name, shape, strides, values):
    dtype, params = TYPES[name]
    count  = span(shape, strides) + 2
    memory = values(count).astype(dtype)
    return mli_tensor(mli_data_container(mem=memory), tuple(shape),
                      (*strides, *(0,) * (4 - len(shape))),
                      el_type=mli_element_type[f"MLI_EL_{name}"], el_params=params)


def _axis(rng, size):
    """Offset, size, step, zeros before and behind, of a legal move of a dimension."""
    offset, step = int(rng.integers(0, size)), int(rng.integers(1, 4))
    count = int(rng.choice([0, rng.integers(1, size - offset + 1)]))
    last  = count in (0, size - offset)
    return offset, count, step, int(rng.integers(0, 3)), int(rng.integers(0, 3)) if last else 0


def _width(size, offset, count, step, pre, post):
    return -(-((count or size - offset) + pre + post) // step)


def move_of(name, number, *, gaps=True):
    """Source, configuration and destination of a legal move of elements of a type."""
    rng   = random_of([number, *name.encode()])
    rank  = int(rng.integers(1, 5))
    shape = tuple(rng.integers(1, 6, rank).tolist())
    axes  = [_axis(rng, size) for size in shape]
    perm  = rng.permutation(rank).tolist()
    start = rng.integers(0, 3, rank).tolist()
    whole = [begin + _width(shape[dim], *axes[dim])
             for begin, dim in zip(start, perm, strict=True)]
    src   = _tensor(name, shape, random_strides(shape, rng) if gaps else strides_of(
        shape, (0,) * rank), lambda count: rng.integers(-128, 128, count))
    steps = random_strides(whole, rng) if gaps else strides_of(whole, (0,) * rank)
    dst   = _tensor(name, whole, steps, lambda count: np.full(count, PATTERN))
    beyond = (0,) * (4 - rank)
    fields = [tuple(values) + beyond for values in zip(*axes, strict=True)]
    cfg = mli_mov_cfg_t(fields[0], fields[1], fields[2], (*start, *beyond),
                        dst.mem_stride if number % 2 else (0,) * 4,
                        (*perm, *range(rank, 4)), fields[3], fields[4])
    if number % 2:
        dst.mem_stride = (0,) * 4
    return src, cfg, dst


def _is_plain(src, cfg, shape, strides):
    """Whether the library copies a whole memory, whatever the offsets."""
    dense = strides_of(shape, (0,) * len(shape))
    return (shape == src.shape and strides == strides_of(shape, src.mem_stride) == dense
            and not any((*cfg.padding_pre, *cfg.padding_post))
            and cfg.perm_dim == (0, 1, 2, 3) and set(cfg.sub_sample_step[:src.rank]) == {1})


def moved(src, cfg, dst):
    """Memory, shape and strides of the destination of a move, from plain loops, before it."""
    data, rank = read(src), src.rank
    memory = dst.data.mem.memory.view(data.dtype).copy()
    widths = [_width(src.shape[dim], *(getattr(cfg, field)[dim] for field in (
        "offset", "size", "sub_sample_step", "padding_pre", "padding_post")))
        for dim in cfg.perm_dim[:rank]]
    shape   = tuple(width + start for width, start in zip(widths, cfg.dst_offset, strict=False))
    strides = strides_of(shape, tuple(new or old for new, old in zip(
        cfg.dst_mem_stride, dst.mem_stride, strict=True)))
    if _is_plain(src, cfg, shape, strides):
        memory[:data.size] = data.reshape(-1)
        return memory, shape, strides
    for place in np.ndindex(*widths):
        wanted = [0] * rank
        for index, dim in zip(place, cfg.perm_dim, strict=False):
            wanted[dim] = (index * cfg.sub_sample_step[dim] + cfg.offset[dim]
                           - cfg.padding_pre[dim])
        inside = all(0 <= index < size for index, size in zip(wanted, src.shape, strict=False))
        memory[sum((index + start) * step for index, start, step in zip(
            place, cfg.dst_offset, strides, strict=False))] = data[tuple(wanted)] if inside else 0
    return memory, shape, strides

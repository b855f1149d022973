# SPDX-License-Identifier: Apache-2.0
"""Moves of MLI 2.0 with wrong fields, for which only a status is expected."""

import numpy as np

from tests.support.calls.mli2 import sa
from tests.support.calls.moves import move_of
from tests.support.seed import random_of
from xymac.golden.api.mli2.types import mli_data_container, mli_mem

__all__ = ["spoiled_move"]

_COUNTS  = (0, 1, 3, 7, 2 ** 31 - 1, 2 ** 32 - 1)
_STRIDES = (-1, 1, 2, 5, 1000, 2 ** 30, 2 ** 31 - 2, 2 ** 31 - 1)
_SPOILS  = {"offset": _COUNTS, "size": _COUNTS, "sub_sample_step": _COUNTS, "dst_offset": _COUNTS,
            "dst_mem_stride": (*_STRIDES, -2 ** 31), "perm_dim": (0, 1, 2, 3, 4, 255),
            "padding_pre": (1, 3, 200, 255), "padding_post": (1, 3, 200, 255)}


def _replaced(values, place, value):
    return tuple(value if index == place else each for index, each in enumerate(values))


def spoiled_move(name, number):
    """Source, configuration and destination; an eighth of all is legal, in others one or two
    fields are wrong, or tensors have less memory. Scales mostly lie along a dimension."""
    src, cfg, dst = move_of(name, number)
    rng   = random_of([number, *name.encode(), 1])
    sizes = [*src.shape, *(0,) * (4 - len(src.shape))]
    if name.startswith("SA"):
        dim   = int(rng.integers(-1, src.rank + 1))
        count = sizes[dim] if dim < 4 else 1
        if dim >= 0:
            src.el_params = sa((0,) * max(count, 8), (1,) * max(count, 8), (0,) * max(count, 8),
                               dim)
    for _ in range(int(rng.integers(0, 8)) and int(rng.integers(1, 3))):
        kind, place = int(rng.integers(0, 8)), int(rng.integers(0, 4))
        if kind < 5:
            field = str(rng.choice([*_SPOILS]))
            setattr(cfg, field, _replaced(getattr(cfg, field), place,
                                          int(rng.choice(_SPOILS[field]))))
        elif kind == 5:
            tensor = (src, dst)[int(rng.integers(0, 2))]
            tensor.mem_stride = _replaced(tensor.mem_stride, place, int(rng.choice(_STRIDES)))
        elif kind == 6:
            tensor, room = (src, dst)[int(rng.integers(0, 2))], int(rng.integers(0, 200))
            tensor.data.capacity = min(room, tensor.data.capacity)
        else:
            src.rank = int(rng.choice([0, 1, 2, 3, 4, 5]))
            src.shape = (*sizes[:4],)
    if not rng.integers(0, 16):  # Both in one memory.
        memory   = np.concatenate([src.data.mem.memory, dst.data.mem.memory])
        src.data = mli_data_container(mem=mli_mem(pi8=memory[:src.data.mem.memory.size]))
        start    = int(rng.integers(0, src.data.mem.memory.size)) // 4 * 4
        dst.data = mli_data_container(mem=mli_mem(pi8=memory[start:]))
    return src, cfg, dst

# SPDX-License-Identifier: Apache-2.0
"""Random passes for the golden machine, and machines whose memories are full of noise."""

from dataclasses import replace

import numpy as np

from tests.support.naive.machine import reads_own_results
from tests.support.rtl_device import noise_tables
from tests.support.seed import random_of
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import CoreConfig
from xymac.hdl.isa import (
    BANKS,
    ELEMENT_BITS,
    FREE_ENTRY,
    ROUNDINGS,
    SLIDE_ROWS,
    Access,
    AccumulatorRange,
    AguMode,
    Axis,
    Memory,
    Op,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
)

__all__ = ["CONFIGS", "PLAIN", "SMALL", "align_window", "machine_with_noise", "random_pass",
           "slide_of", "without_faults"]

CONFIGS = [CoreConfig(f"ways{ways}", ways=ways, x_rows=512, y_rows=512, passes=4)
           for ways in (1, 2, 4)]
SMALL = CONFIGS[1]
#: Operations that a pass can have in place of MAC, its other fields unchanged.
PLAIN = [op for op in Op
         if op not in (Op.NONE, Op.GATHER, Op.SPREAD, Op.CROSS, Op.SHARE, Op.SLIDE)]


def machine_with_noise(config, seed):
    """A Machine whose memories, of tables too, hold noise, the same for one seed and CoreConfig."""
    machine, rng = Machine(config), random_of(seed)
    entries, places = noise_tables(seed)
    machine.tables.write(FREE_ENTRY, entries)
    for table, place in places.items():
        machine.tables.place(table, place)
    for cells in (machine.x, machine.y):
        cells[:] = rng.integers(0, 1 << 16, cells.size)
    return machine


def random_access(rng, units, taps):
    """An access that faults now and then, around the middle of the memory or at an edge of it."""
    mode   = rng.choice(list(AguMode), p=[0.6, 0.2, 0.2])
    length = int(rng.choice([1, 4, 32, 64, 128, 256]))
    low    = int(rng.choice([0, 3, 40, units - length]))
    outer  = tuple(int(min(stride, length)) for stride in rng.integers(-1, 6, 3))
    inner  = tuple(int(stride) for stride in rng.integers(-1, 6, 3)) if taps else (0, 0, 0)
    return Access(low + int(rng.integers(0, length)), low, low + length - 1, outer, inner, mode)


def align_window(access):
    """The access with the smallest window of aligned fours around its own, its base as far from
    the first address."""
    low    = access.low - access.low % BANKS
    length = access.high - access.low + 1
    return replace(access, base=access.base - access.low + low, low=low,
                   high=low + length + -length % BANKS - 1)


def random_pass(rng, config):
    """A pass of every mode and operation, never refused before it starts."""
    pass_ = _random_mac(rng, config)
    op    = rng.choice([Op.MAC, Op.MAC, Op.MAC, Op.SPREAD, Op.GATHER, Op.CROSS, Op.SLIDE])
    if op is Op.SLIDE and config.ways > 1:
        return slide_of(pass_)
    if op is Op.SPREAD:
        return replace(pass_, op=op, outer=(1, *pass_.loop.outer[1:]), floor=0)
    if op is Op.CROSS:
        return replace(pass_, op=op, x_shape=Shape.VECTOR, x=align_window(pass_.operands.x),
                       floor=0)
    return _random_gather(rng, pass_, config) if op is Op.GATHER else pass_


def slide_of(pass_):
    """A slide with the loops, the windows and the outputs of ``pass_``."""
    rows, columns, _ = pass_.loop.taps
    columns = min(columns, BANKS)
    return replace(
        pass_, op=Op.SLIDE, taps=(min(rows, SLIDE_ROWS), columns, 1), floor=0,
        x_shape=Shape.LANES, y_shape=Shape.VECTOR, x=replace(pass_.operands.x, mode=AguMode.LINEAR),
        y=replace(pass_.operands.y, mode=AguMode.LINEAR),
        cols=replace(pass_.loop.cols, pad=0, size=max(pass_.loop.cols.size, columns)))


def _random_gather(rng, pass_, config):
    """A gather with the taps, widths and outputs of ``pass_``."""
    table = config.lanes * config.ways
    y_low = table * int(rng.integers(0, config.y_rows // table))
    z_low = int(rng.choice([0, 3, 40]))
    return replace(
        pass_, op=Op.GATHER, x_shape=Shape.VECTOR, y_shape=Shape.VECTOR, beats=4, bias_row=None,
        floor=0, rows=Axis(), cols=Axis(), **_unscaled(pass_),
        x=random_access(rng, config.x_rows * config.lanes, True),
        y=Access(y_low, y_low, y_low + table - 1),
        z=Access(z_low + int(rng.integers(0, 3)), z_low, z_low + int(rng.integers(0, 99))))


def _unscaled(pass_):
    """Fields that make ``pass_`` one without parameters."""
    twice = pass_.epilogue.rounding is RoundMode.TWICE
    return {"scale": Scale.NONE, "addend": False, "once": False,
            "rounding": RoundMode.UP if twice else pass_.epilogue.rounding}


def _random_mac(rng, config):
    """A pass of every mode that sums or keeps an extreme."""
    choice = {name: rng.choice(list(kind)) for name, kind in (
        ("x_shape", Shape), ("y_shape", Shape), ("x_width", Width), ("y_width", Width),
        ("z_width", Width), ("z_memory", Memory), ("rounding", ROUNDINGS),
        ("acc_range", AccumulatorRange), ("op", [Op.MAC, *PLAIN]),
        ("table", Table), ("table_rounding", ROUNDINGS))}
    rows, cols = (Axis(*(int(v) for v in rng.integers([0, 0, 1], [3, 3, 9]))) for _ in range(2))
    limit = 127 if choice["z_width"] is Width.BITS8 else 32767
    bias  = [None, 0, 7, config.y_rows - 4]
    if rng.random() < 0.4:  # of noise for parameters only those of large sums differ
        choice |= {"scale": Scale(int(rng.integers(1, 4))), "addend": bool(rng.integers(2)),
                   "once": bool(rng.integers(2))}
    if "scale" in choice and rng.random() < 0.4:
        choice["rounding"] = RoundMode.TWICE
    if choice["x_width"] is Width.BITS8:
        choice["x_zero"] = int(rng.choice([0, 0, 1, -128, 127, 32640, -32640]))
    most = 32767 if choice["table"] is Table.NONE else (1 << ELEMENT_BITS - 1) - 1
    if choice["table"] is not Table.NONE and rng.random() < 0.5:
        limit = most
    scaled, zero = "scale" in choice, int(rng.choice([0, 0, 3, -100]))
    counts = rng.integers(1, 4, 6)
    x, beats = random_access(rng, config.x_rows * 4, True), int(rng.integers(1, 5))
    if x.mode is AguMode.BIT_REVERSED and choice["x_shape"] is Shape.LANES:
        beats = 1
    return Pass(
        x=x, y=random_access(rng, config.y_rows, True),
        z=random_access(rng, config.x_rows * 4, False), outer=tuple(int(n) for n in counts[:3]),
        taps=tuple(int(n) for n in counts[3:]), rows=rows, cols=cols,
        beats=beats, shift=0 if scaled else int(rng.choice([-16, -3, 0, 1, 9, 20, 40])),
        bias_row=bias[rng.integers(scaled, len(bias))], table_shift=int(rng.integers(0, 16)),
        zero=zero,
        clip=(max(int(rng.choice([-limit - 1, 0, -5])), -most - 1 - zero),
              min(int(rng.choice([limit, 6])), most - zero)),
        floor=int(rng.choice([0, 0, 1, 7, 15])) * (choice["op"] is Op.MAC), **choice)


def without_faults(rng, config, **fields):
    """A pass with ``fields`` that neither faults nor uses what a program leaves behind."""
    while True:
        pass_ = replace(_random_legal(rng, config), **fields)
        if not reads_own_results(pass_, config):
            return pass_


def _random_legal(rng, config):
    drawn = random_pass(rng, config)
    zero  = drawn.epilogue.zero
    clip  = np.clip(drawn.epilogue.clip, -32768 - min(zero, 0), 32767 - max(zero, 0))
    loops = replace(drawn, op=Op.MAC, bias_row=None, table=Table.NONE, beats=4, rows=Axis(),
                    cols=Axis(), clip=tuple(clip.tolist()), **_unscaled(drawn))
    x, y, z = (Access(100, 50, 499, *(tuple(int(step) for step in rng.integers(-2, 4, 3))
                                      for _ in range(2))) for _ in range(3))
    return replace(loops, x=x, y=y, z=replace(z, taps=(0, 0, 0)))

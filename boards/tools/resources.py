# SPDX-License-Identifier: Apache-2.0
"""A core's block RAMs and multipliers in an ECP5, computed from its size."""

from collections import Counter

from xymac.hdl.core.lane import main_rows
from xymac.hdl.core.tables import COLUMNS
from xymac.hdl.isa import CELL_BITS, PASS_STRIDE, TRACE_STRIDE

__all__ = ["KINDS", "block_rams", "hard_cells"]

#: Resource names, as in ``family.ECP5``.
KINDS = ("LUT4", "MULT18X18D", "block RAM")
#: Shapes of a DP16KD with byte writes: words, and data bits of a word without its parity bits.
#: Source: Lattice FPGA-TN-02204, ECP5 memory usage guide.
_SHAPES = ((512, 32), (1024, 16), (2048, 8))
#: Fewest bits for which yosys uses a block RAM; smaller memories become logic.
_LEAST  = 2048
_OUTPUT = 5  # multipliers of an output stage and its scale unit


def hard_cells(config):
    """A core's exact multiplier and block RAM counts: ``{kind: count}``.

    ``config`` is a CoreConfig; ValueError for the compact core, which is not for an ECP5.
    """
    if not config.capabilities.parallel:
        raise ValueError(f"Size {config.name} is of the compact core, which is not for an ECP5")
    ways, memories = config.ways, _memories(config).items()
    return {"MULT18X18D": config.lanes * ways + _OUTPUT * ways,
            "block RAM": sum(count * block_rams(*shape) for shape, count in memories)
            + 2 * -(-ways // COLUMNS)}


def _memories(config):
    """X, Y, program and trace memories: ``{(bits, words): count}``."""
    memories = Counter()
    for bits, words, count in (
            (CELL_BITS, config.x_rows, config.lanes),
            (config.ways * CELL_BITS, main_rows(config.y_rows), config.lanes),
            (config.ways * CELL_BITS, config.y_rows - main_rows(config.y_rows),
             config.lanes),
            (64, config.passes * PASS_STRIDE, 1), (32, config.passes * TRACE_STRIDE, 1)):
        memories[bits, words] += count
    return memories


def block_rams(bits, words):
    """Block RAM count for a memory with byte writes; 0 for a small memory."""
    count = min(-(-words // depth) * -(-bits // width) for depth, width in _SHAPES)
    return count if bits * words >= _LEAST * count else 0

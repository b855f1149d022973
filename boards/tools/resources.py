"""What a core takes of an ECP5 by its size alone: block RAMs and multipliers."""

from collections import Counter

from hdl.core.lane import MAIN_ROWS
from hdl.core.tables import COLUMNS
from hdl.isa import CELL_BITS, PASS_STRIDE, TRACE_STRIDE

__all__ = ["KINDS", "block_rams", "hard_cells"]

#: Names of what counts, as ``family.ECP5`` has them.
KINDS = ("LUT4", "MULT18X18D", "block RAM")
#: Shapes of a DP16KD whose bytes are written one by one: words, and bits of them that hold bytes.
#: Source: Lattice FPGA-TN-02204, ECP5 memory usage guide.
_SHAPES = ((512, 32), (1024, 16), (2048, 8))
#: Least bits in a block RAM for which yosys takes one: it puts smaller memories into logic.
_LEAST  = 2048
_OUTPUT = 5  # multipliers of an output stage and its scale unit
#: Multiplications by a constant that is no power of two, as 1 way has them: yosys gives them a
#: multiplier each.
_ODD    = {1: 2, 2: 0, 4: 0}


def hard_cells(config):
    """Multipliers and block RAMs of the core of a CoreConfig, exactly: ``{kind: count}``.

    ValueError for the compact core, which is not for an ECP5.
    """
    if not config.capabilities.parallel:
        raise ValueError(f"Size {config.name} is of the compact core, which is not for an ECP5")
    ways, memories = config.ways, _memories(config).items()
    return {"MULT18X18D": config.lanes * ways + _OUTPUT * ways + _ODD[ways],
            "block RAM": sum(count * block_rams(*shape) for shape, count in memories)
            + 2 * -(-ways // COLUMNS)}


def _memories(config):
    """Memories of cells, passes and the trace: ``{(bits, words): count}``."""
    memories = Counter()
    for bits, words, count in (
            (CELL_BITS, config.x_rows, config.lanes),
            (config.ways * CELL_BITS, min(config.y_rows, MAIN_ROWS), config.lanes),
            (config.ways * CELL_BITS, max(config.y_rows - MAIN_ROWS, 0), config.lanes),
            (64, config.passes * PASS_STRIDE, 1), (32, config.passes * TRACE_STRIDE, 1)):
        memories[bits, words] += count
    return memories


def block_rams(bits, words):
    """Block RAMs of a memory of so many words with byte writes; none for a small one."""
    count = min(-(-words // depth) * -(-bits // width) for depth, width in _SHAPES)
    return count if bits * words >= _LEAST * count else 0

# SPDX-License-Identifier: Apache-2.0
"""Pass fields, grouped by the core part they configure."""

from dataclasses import dataclass

from .codes import (
    AccumulatorRange,
    Adjust,
    AguMode,
    Memory,
    Move,
    Op,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
)

__all__ = ["Access", "Accumulate", "Axis", "Control", "Epilogue", "Loop", "Operands", "Reduction"]


@dataclass(frozen=True)
class Access:
    """Address generation for one operand; addresses and strides in the unit of its ``Shape``.

    ``outer`` and ``taps`` are the strides of the six loops, 16-bit signed; Z has no taps.
    """

    base:  int
    low:   int
    high:  int
    outer: tuple = (0, 0, 0)
    taps:  tuple = (0, 0, 0)
    mode:  AguMode = AguMode.LINEAR
    move:  Move = Move.NONE


@dataclass(frozen=True)
class Axis:
    """Padding clip along rows (loops ``b``, ``i``) or columns (loops ``c``, ``j``), elements."""

    pad:  int = 0
    step: int = 0
    size: int = 0xFFFF


_NO_BORDER = Axis()

@dataclass(frozen=True)
class Loop:
    """Loop counts and padding clip.

    outer, taps : three counts each, 1 .. 65535, outermost first
    rows, cols : Axis
    """

    outer: tuple = (1, 1, 1)
    taps:  tuple = (1, 1, 1)
    rows:  Axis = _NO_BORDER
    cols:  Axis = _NO_BORDER


@dataclass(frozen=True)
class Operands:
    """X and Y operands.

    x, y : Access
    x_shape, y_shape : Shape; x_width, y_width : Width
    x_zero : int, -32640 .. 32640, subtracted from every 8-bit X element
    """

    x:       Access
    y:       Access
    x_shape: Shape = Shape.VECTOR
    y_shape: Shape = Shape.VECTOR
    x_width: Width = Width.BITS8
    y_width: Width = Width.BITS8
    x_zero:  int = 0


@dataclass(frozen=True)
class Accumulate:
    """Accumulation: operation, initial value and accumulator range.

    bias_row : int or None, Y row with the bias of output ``a = 0``: per lane ``BIAS_BITS`` bits,
        lowest 16-bit word first, in ``ceil(48 / (16 * ways))`` rows, most significant row first;
        the rows of the next output follow. In a scaled pass the first row of the per-channel
        parameters
    acc_range : AccumulatorRange
    floor : int, 0 .. ``FLOOR_MAX``, only with MAC; 0 clears no bits
    hold : bool, save the accumulators in the lanes; 4 beats, no table, scalars or reduction
    resume : bool, start from saved accumulators, not from a bias
    entry : int, 0 .. 15, save entry; also the heap size minus 1
    """

    op:        Op = Op.MAC
    bias_row:  int | None = None
    acc_range: AccumulatorRange = AccumulatorRange.BITS32
    floor:     int = 0
    hold:      bool = False
    resume:    bool = False
    entry:     int = 0


@dataclass(frozen=True)
class Epilogue:
    """Requantisation of accumulators into elements, and their destination.

    z : Access; z_width : Width; z_memory : Memory
    beats : int, vectors of ``ways`` results written per output, 1 .. 4
    scale : Scale; addend : bool, the per-channel parameters have an addend
    once : bool, only ``a = 0`` has per-channel parameters; all outputs use them
    shift : int, right shift of the accumulator, bits; a negative value shifts left
    rounding : RoundMode of the shift
    clip : (low, high), limits of the output, or of the table input, before ``zero`` is added;
        18-bit signed, low at most high; limit plus ``zero`` must fit 16 bits, with a table 18 bits
    zero : int, 16-bit signed, added to the clipped element
    table : Table; table_shift : int, 0 .. 15, ``log2`` of the distance between two entries
    table_rounding : RoundMode of the interpolation and of its 8-bit result
    """

    z:        Access
    z_width:  Width = Width.BITS8
    z_memory: Memory = Memory.X
    beats:    int = 4
    scale:    Scale = Scale.NONE
    addend:   bool = False
    once:     bool = False
    shift:    int = 0
    rounding: RoundMode = RoundMode.CONVERGENT
    clip:     tuple = (-128, 127)
    zero:     int = 0
    table:    Table = Table.NONE
    table_shift:    int = 0
    table_rounding: RoundMode = RoundMode.CONVERGENT


@dataclass(frozen=True)
class Reduction:
    """Reduction into a scalar or the heap, and use of earlier scalars.

    ``wide_range`` is 1 if ``maximum - minimum`` exceeds 128 (8-bit X) or 32768 (16-bit X), else 0.
    A ``SUM`` also sets ``places``, ``floor(log2(sum))``, and ``inverse``, ``2**29`` divided by the
    sum normalised to 15 bits.

    reduce : Reduce; fresh : bool, reset the scalar or the heap at the pass start
    drop : int, 0 .. 3, below ``ways``; elements at the end that the reduction ignores
    anchored : bool, use ``acc - (maximum & ~wide_range) >> wide_range`` in place of ``acc``
    adjust : Adjust; inverted : bool, replace every element by ``inverse``
    """

    reduce:   Reduce = Reduce.NONE
    fresh:    bool = True
    drop:     int = 0
    anchored: bool = False
    adjust:   Adjust = Adjust.NONE
    inverted: bool = False


@dataclass(frozen=True)
class Control:
    """A pass's start condition, and its successor.

    wait : bool, start only after all earlier results are written. Without it a step may read an
        output ``CoreConfig.depth`` cycles after the last step of that output, if a step takes a
        cycle and the last steps of two outputs are ``BANKS`` cycles apart
    last : bool, the program ends with this pass
    back : int, 0 .. 63, passes to go back; repeat : int, 0 .. 65535, number of repetitions
    advance : two ints, 16-bit signed, see ``Move``
    """

    wait:    bool = False
    last:    bool = False
    back:    int = 0
    repeat:  int = 0
    advance: tuple = (0, 0)

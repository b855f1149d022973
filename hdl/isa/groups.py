"""The fields of a pass, by the part of the core that they configure."""

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
    """One AGU's part of a pass; addresses and strides in the unit of its ``Shape``.

    ``outer`` and ``taps`` are strides of the six loops, 16-bit signed; Z has no taps.
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
    """Border clipping along rows (loops ``b``, ``i``) or columns (loops ``c``, ``j``), elements."""

    pad:  int = 0
    step: int = 0
    size: int = 0xFFFF


_NO_BORDER = Axis()

@dataclass(frozen=True)
class Loop:
    """The loops of a pass: their counts, and the border of the image.

    outer, taps : three counts each, 1 .. 65535, outermost first
    rows, cols : Axis
    """

    outer: tuple = (1, 1, 1)
    taps:  tuple = (1, 1, 1)
    rows:  Axis = _NO_BORDER
    cols:  Axis = _NO_BORDER


@dataclass(frozen=True)
class Operands:
    """The two operands of a step.

    x, y : Access
    x_shape, y_shape : Shape; x_width, y_width : Width
    x_zero : int, -32640 .. 32640, taken off every 8-bit element of X
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
    """How the products of an output become its sums, and where the sums begin.

    bias_row : int or None, row of Y whose cells hold the bias of output ``a = 0``: per lane
        ``BIAS_BITS`` bits, lowest cell first, in ``ceil(48 / (16 * ways))`` rows, most
        significant row first; the next output's rows follow. Of a scaled pass the row of its first
        record
    acc_range : AccumulatorRange
    floor : int, 0 .. ``FLOOR_MAX``, only of a MAC; 0 clears nothing
    hold : bool, keep the sums in the lanes; 4 beats, no table, scalars or reduction; resume : bool,
        begin with sums kept, not with a bias; entry : int, 0 .. 15, also one less than the elements
        of a heap
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
    """How sums become elements, and where the elements go.

    z : Access; z_width : Width; z_memory : Memory
    beats : int, groups of ``ways`` results kept of each output, 1 .. 4
    scale : Scale; addend : bool, records have an addend; once : bool, only those of ``a = 0`` have
        parameters
    shift : int, right shift of the accumulator, bits; negative shifts left
    rounding : RoundMode, of that shift
    clip : (low, high), limits of the output, or of the element that is looked up, less ``zero``;
        18-bit signed, the sum with it within 16 bits, with a table within 18
    zero : int, 16-bit signed, added to the clipped element
    table : Table; table_shift : int, 0 .. 15, bits of the clipped element between two entries;
        table_rounding : RoundMode, of the interpolation and of its 8-bit result
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
    """The scalar or the heap that a pass leaves, and the scalars that it applies.

    reduce : Reduce; fresh : bool, begin the scalar or the heap anew instead of going on with it;
        drop : int, 0 .. 3, below ``ways``
    anchored : bool; adjust : Adjust; inverted : bool, every element is ``inverse`` instead
    """

    reduce:   Reduce = Reduce.NONE
    fresh:    bool = True
    drop:     int = 0
    anchored: bool = False
    adjust:   Adjust = Adjust.NONE
    inverted: bool = False


@dataclass(frozen=True)
class Control:
    """When a pass starts, and which pass follows it.

    wait : bool, start only when everything before has been written. Without it a step may read
        what an output has written ``CoreConfig.depth`` cycles after the last step of that output,
        where a step takes a cycle and the last steps of two outputs are ``BANKS`` cycles apart
    last : bool, the program ends here
    back : int, 0 .. 63, and repeat : int, 0 .. 65535, go back so many passes, so often; advance :
        two ints, 16-bit signed
    """

    wait:    bool = False
    last:    bool = False
    back:    int = 0
    repeat:  int = 0
    advance: tuple = (0, 0)

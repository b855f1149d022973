"""The contract of hardware, golden machine and host: passes, register map, status codes.

Memory
------
X and Y are arrays of 16-bit cells. A *lane* owns one column of X and ``ways`` columns of Y. Cells
lie in linear order: cell ``row * lanes + lane`` of X, cell ``(row * ways + way) * lanes + lane``
of Y. A 16-bit element fills a cell; two 8-bit elements share one (see ``Unit``). There are always
four *banks*: bank ``b`` is lanes ``b * ways`` to ``b * ways + ways - 1``.

Pass
----
A pass is this loop, run without a bubble (``pad``, ``step``, ``size`` belong to the two axes)::

    for a in range(outer[0]):
        for b in range(outer[1]):              # top = b * rows.step - rows.pad
            for c in range(outer[2]):          # left = c * cols.step - cols.pad
                acc[lane] = bias[a][lane] if bias else 0
                for i in range(taps[0]):       # only where 0 <= top + i < rows.size
                    for j in range(taps[1]):   # only where 0 <= left + j < cols.size
                        for k in range(taps[2]):
                            acc[lane] += dot(X[x.address], Y[y.address])
                for beat in range(beats):
                    write group z.address + beat = output(acc[beat * ways : (beat + 1) * ways])

Operations other than ``MAC`` combine the products of the steps in another way (see ``Op``).
With ``floor`` the sum that the last step of an output adds to loses its low ``floor +
FLOOR_BITS`` bits: what came before is rounded by itself, towards minus infinity.
With ``hold`` the sums of all lanes are not written: a lane keeps its own, shifted, rounded and
limited to ``acc_range`` (saturated to 32 bits; of more than 40 the low 40 are kept, and the
overflow flag is set), as entry ``entry + a``. With ``resume`` the sums of output group ``a`` begin
with that entry. Entries outlive a program; after a fault they are undefined.

``output`` shifts the sum, wrapped to the accumulator, rounds and clips it, and adds ``zero``. With
a ``Scale`` each lane has parameters of its own, both divisions are rounded by ``rounding``,
``limit`` saturates to the range of the ``Scale``, and ``shift`` is not used::

    a       = limit(round(acc / 2**pre))       # 32 or 16 bits
    product = a * mul + addend                 # 64 bits
    element = clip(round(product / 2**post)) + zero

These parameters lie in front of the bias, in *records* of as many rows as a bias has, in the same
order of cells: for each ``a`` first ``mul | pre << 32 | post << 37`` (32 bits signed, 5 bits, 6
bits), then the addend, 32 bits signed, if the pass says ``addend``, then the bias.

With a ``Table`` what comes out is looked up: of the element ``e``, ``i = min(max((e >> table_shift)
+ offset, 0), entries - 2)`` is the entry and ``f = e & (1 << table_shift) - 1`` the way to the
next, and the result is ``t[i] - round((t[i] - t[i + 1]) * f, table_shift)``, for an 8-bit output
rounded by 8 bits once more and saturated. The element may have 18 bits then: the range of a table
in steps of a 256th of the way between two entries.

An address is ``base + sum(index * stride)`` over the six loops (three for Z), then mapped by the
access mode inside the window ``[low, high]``. ``base`` belongs to tap (0, 0) of output (0, 0, 0)
and may lie outside the window where the border clips it. A window without taps is a fault. Of every
element of X that a step reads ``x_zero`` is taken off; what the border clips adds nothing.

Passes can repeat: after a pass with ``repeat`` the program goes back ``back`` passes, as often as
``repeat`` says, and then on. Loops do not nest. Two moves are 0 before a loop and grow by
``advance`` of that pass each time it goes back; the ``base`` of an access with a ``move`` is more
by it.
"""

import functools
import math
import operator
from dataclasses import dataclass, field

from amaranth import signed, unsigned
from amaranth.lib import data, enum

__all__ = [
    "ACC_BITS",
    "ADDRESS_BITS",
    "BACK_MAX",
    "BIAS_BITS",
    "COUNTERS",
    "ELEMENT_BITS",
    "FIELDS",
    "FLOOR_BITS",
    "FLOOR_MAX",
    "HELD",
    "IDENTITY",
    "PASS_STRIDE",
    "PASS_WORDS",
    "SHIFT_MAX",
    "SHIFT_MIN",
    "TABLES",
    "TRACE_STRIDE",
    "VERSION",
    "Access",
    "AccumulatorRange",
    "Adjust",
    "AguMode",
    "Axis",
    "Control",
    "Count",
    "Dialect",
    "Encoded",
    "Flag",
    "Memory",
    "Move",
    "Op",
    "Pass",
    "Program",
    "Reduce",
    "Region",
    "Register",
    "RoundMode",
    "Samples",
    "Scale",
    "Shape",
    "State",
    "Status",
    "Table",
    "Width",
    "bias_rows",
    "pack",
    "pack_words",
    "records",
]

ACC_BITS     = 40   #: Accumulator, guard bits included.
BIAS_BITS    = 48   #: Bias word: the accumulator and 8 bits that count its wraps.
ELEMENT_BITS = 18   #: Element that is looked up.
FLOOR_BITS   = 8    #: What a pass that floors clears more bits than.
FLOOR_MAX    = 15   #: Largest ``floor`` of a pass.
ADDRESS_BITS = 20   #: Signed address relative to the window, inside an AGU.
SHIFT_MIN    = -16  #: A left shift by 16 or more saturates every value but 0.
SHIFT_MAX    = 40   #: Larger right shifts of a 40-bit value give what this one gives.
HELD         = 16   #: Sums that a lane can hold.
BACK_MAX     = 63   #: Passes that a loop can go back.
PASS_WORDS   = 16   #: 64-bit words of an encoded pass.
PASS_STRIDE  = 16   #: 64-bit words from one pass to the next in program memory.
TRACE_STRIDE = 8    #: 32-bit words of a trace record.
IDENTITY     = 0x434D5958  #: "XYMC", little-endian.
VERSION      = 1


class Op(enum.Enum, shape=4):
    """What a pass does with its operands."""

    NONE = 0  #: Illegal: what cleared program memory holds.
    MAC  = 1  #: Multiply and accumulate.
    MAX  = 2  #: Keep the largest product (sum of products over the ways) of the steps; no bias.
    MIN  = 3  #: Keep the smallest one; no bias.


class Shape(enum.Enum, shape=1):
    """Elements that one address of X or Y stands for, and the unit of the address.

    X ``VECTOR``: a group of ``ways`` elements, one a way, to every lane. X ``LANES``: ``lanes``
    elements from a group onward, one a lane; the address still counts groups.
    Y ``VECTOR``: ``ways * lanes`` elements, one a multiplier. Y ``LANES``: ``lanes`` elements, one
    a lane. With Y ``LANES`` a lane forms one product, way ``address % ways``; with X ``LANES`` and
    Y ``VECTOR`` its element meets each of its ``ways`` weights.
    """

    VECTOR = 0
    LANES  = 1


class Width(enum.Enum, shape=1):
    """Bits of an element. 8-bit index ``i`` is byte ``i % 2`` of 16-bit index ``i // 2``.

    The index is ``group // 4`` (X and Z; the bank is ``group % 4``), the address (Y ``VECTOR``) or
    ``address // ways`` (Y ``LANES``; the way is ``address % ways``).
    """

    BITS8  = 0
    BITS16 = 1


class Memory(enum.Enum, shape=1):
    """Where the output goes. Group ``g`` of Y is bank ``g % 4`` of ``LANES`` address ``g // 4``."""

    X = 0
    Y = 1


class RoundMode(enum.Enum, shape=2):
    """Rounding of a right shift."""

    CONVERGENT = 0  #: Halves go to the nearest even value.
    UP         = 1  #: Halves go towards plus infinity.
    FLOOR      = 2  #: Everything goes towards minus infinity.


class Table(enum.Enum, shape=3):
    """What the output stage looks up; see ``TABLES``."""

    NONE      = 0
    SIGM      = 1
    TANH      = 2
    EXP       = 3
    SIGM_FINE = 4  #: Those of MLI 2.0 have two samples where those of 1.x have one.
    TANH_FINE = 5
    EXP_FINE  = 6
    ROOT      = 7  #: ``1 / sqrt(x)``.


class AccumulatorRange(enum.Enum, shape=2):
    """Range whose leaving sets the overflow flag, judged on the finished exact sum.

    It also limits what lanes hold; only there does ``SYMMETRIC32`` differ from ``BITS32``.
    """

    BITS32      = 0
    BITS40      = 1
    SYMMETRIC32 = 2  #: Held sums saturate to plus and minus 2**31 - 1.


class Scale(enum.Enum, shape=2):
    """Whether every lane scales its sums by parameters of its own, and what limits them before."""

    NONE        = 0
    BITS32      = 1
    BITS16      = 2
    SYMMETRIC16 = 3  #: Plus and minus 32767.


class AguMode(enum.Enum, shape=2):
    """How an address relative to the window's ``low`` becomes an address.

    With ``n = high - low + 1`` and relative address ``r``:

    ``LINEAR``: ``r``, a fault unless ``0 <= r < n``.
    ``MODULO``: outer loops step modulo ``n`` (each stride within ``-n .. n``), the taps move from
    there and wrap once; a fault if the window is not reached by adding or subtracting ``n`` once.
    ``BIT_REVERSED``: the low ``log2(n)`` bits of ``r`` in reverse order, ``n`` a power of two;
    a fault unless ``0 <= r < n``. Not with X ``LANES`` of several beats.
    """

    LINEAR       = 0
    MODULO       = 1
    BIT_REVERSED = 2


class Move(enum.Enum, shape=2):
    """What the base of an access is more by, from one iteration of a loop to the next."""

    NONE   = 0
    FIRST  = 1  #: The sum of ``advance[0]`` so far.
    SECOND = 2  #: The sum of ``advance[1]`` so far.


class Reduce(enum.Enum, shape=2):
    """Scalar that the elements of a pass, as they are written, are folded into."""

    NONE = 0
    MAX  = 1
    MIN  = 2
    SUM  = 3


class Adjust(enum.Enum, shape=2):
    """Scalar that takes part in the shifts of a pass."""

    NONE   = 0
    SHIFT  = 1  #: ``shift`` is less by ``wide_range``.
    TABLE  = 2  #: ``table_shift``, at least 1, is less by ``wide_range``.
    PLACES = 3  #: ``shift`` is more by ``places``.


@dataclass(frozen=True)
class Samples:
    """Contents of a table: values of a function at ``(index - offset) / 2**frac_bits``.

    They are in units of ``2**-out_frac_bits``. Beyond the table the lines through its first two
    and its last two values repeat.
    """

    values:        tuple
    offset:        int
    frac_bits:     int
    out_frac_bits: int = 15


def _samples(function, count, offset, frac_bits, out_frac_bits=15):
    values = (round(function((index - offset) / (1 << frac_bits)) * (1 << out_frac_bits))
              for index in range(count))
    return Samples(tuple(min(value, 32767) for value in values), offset, frac_bits, out_frac_bits)


def _sigmoid(x):
    return 1 / (1 + math.exp(-x))


#: Source: embARC MLI 1.1, private/src/mli_prv_lut.cc, and MLI 2.0, the tables that its functions
#: ``mli_krn_*_create_lut`` copy. Exponentials are of arguments up to 0, roots from 32 on.
TABLES = {Table.SIGM: _samples(_sigmoid, 180, 90, 3),
          Table.TANH: _samples(math.tanh, 178, 89, 4),
          Table.EXP:  _samples(math.exp, 181, 179, 4),
          Table.SIGM_FINE: _samples(_sigmoid, 320, 160, 4),
          Table.TANH_FINE: _samples(math.tanh, 344, 172, 5),
          Table.EXP_FINE:  _samples(math.exp, 358, 356, 5),
          Table.ROOT: _samples(lambda x: 1 / math.sqrt(x), 97, -32, 0, 17)}


class State(enum.Enum, shape=2):
    """What the core is doing."""

    IDLE  = 0
    BUSY  = 1
    DONE  = 2
    FAULT = 3


class Status(enum.Enum, shape=4):
    """Why a program stopped."""

    OK          = 0
    OPCODE      = 1  #: Unknown operation.
    COUNT       = 2  #: A loop count, or the number of beats, is zero or too large; names the field.
    SHIFT       = 3  #: Output shift outside -16 .. 40.
    WINDOW      = 4  #: A window reaches beyond its memory, or is empty; names the AGU as field.
    X_ACCESS    = 5  #: An access outside the window of X.
    Y_ACCESS    = 6  #: An access outside the window of Y, or a bias beyond Y memory.
    Z_ACCESS    = 7  #: A write outside the window of Z; it and all later writes are suppressed.
    EMPTY       = 8  #: A window of taps that the border clips to nothing.
    END         = 9  #: The program ran past its memory without a last pass.


class Count(enum.Enum, shape=4):
    """Fields that ``Status.COUNT`` and ``Status.WINDOW`` name."""

    OUTER0 = 0
    OUTER1 = 1
    OUTER2 = 2
    TAPS0  = 3
    TAPS1  = 4
    TAPS2  = 5
    BEATS  = 6
    X      = 7
    Y      = 8
    Z      = 9


class Control(enum.Flag, shape=2):
    """Bits of ``Register.CONTROL``, each acting when written as 1."""

    START = 1  #: Run from pass ``FIRST``; ignored unless idle or done.
    CLEAR = 2  #: Back to idle from done or fault; clears status and flags.


class Flag(enum.Flag, shape=2):
    """Bits of ``Register.FLAGS``; sticky until a start or a clear."""

    OVERFLOW = 1  #: A finished sum left the accumulator's range.
    HOST_HIT = 2  #: A host write fell into a window of a pass that was running.


class Dialect(enum.Flag, shape=3):
    """Bits of ``Register.DIALECTS``."""

    MLI_1 = 1  #: embARC MLI 1.x.
    MLI_2 = 2  #: embARC MLI 2.0.
    XS3   = 4  #: The vector unit of the XMOS XS3, lib_nn.


#: Counters of a program in the order of registers and trace words. Every cycle from start to
#: interrupt is an issued step or exactly one stall.
COUNTERS = ("cycles", "issued", "x", "y", "drain", "fetch", "host")


class Register(enum.Enum, shape=8):
    """Byte offsets of the 32-bit registers in ``Region.REGISTERS``."""

    IDENTITY = 0x00  #: Constant ``IDENTITY``.
    VERSION  = 0x04  #: Constant ``VERSION``.
    GEOMETRY = 0x08  #: ``ways | passes << 8``.
    DEPTH    = 0x0C  #: ``x_rows | y_rows << 16``.
    CONTROL  = 0x10  #: Write ``Control``.
    STATUS   = 0x14  #: ``State | Status << 4 | field << 8 | pass << 16``; the pass that ended it.
    FLAGS    = 0x18  #: ``Flag``.
    IRQ_MASK = 0x1C  #: Bit 0 lets done or fault raise the interrupt.
    FIRST    = 0x20  #: First pass of a program.
    DIALECTS = 0x24  #: Constant ``Dialect``: those whose kernels the core executes.
    CYCLES   = 0x40  #: Counters, in the order of ``COUNTERS``.
    ISSUED   = 0x44
    STALL_X  = 0x48  #: No X address was ready.
    STALL_Y  = 0x4C  #: No Y address was ready, or the port read a bias.
    DRAIN    = 0x50  #: The output stage, or results a later pass waits for, held the array.
    FETCH    = 0x54  #: No pass was ready.
    HOST     = 0x58  #: A host read took the slot.


class Region(enum.Enum, shape=22):
    """Byte offsets of what the host sees, in a space of 4 MiB; words of 32 bits."""

    REGISTERS = 0x000000
    PROGRAM   = 0x010000  #: Passes, ``PASS_STRIDE`` words of 64 bits each. Write only.
    TRACE     = 0x020000  #: Records of ``TRACE_STRIDE`` words: the counters when the pass issued
    #: its last step; then ``overflow << 31 | cycles`` when its last result was written. Read only.
    X         = 0x100000  #: Cells of X, two a word. A read of X or Y waits for a free slot.
    Y         = 0x200000  #: Cells of Y, two a word.


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


@dataclass(frozen=True)
class Pass:
    """One nested loop of the hardware; see the module's docstring.

    Parameters
    ----------
    outer, taps : loop counts, 1 .. 65535
    x, y, z : Access
    x_shape, y_shape : Shape; x_width, y_width, z_width : Width; z_memory : Memory
    rows, cols : Axis
    beats : int, groups of ``ways`` results kept of each output, 1 .. 4
    bias_row : int or None, row of Y whose cells hold the bias of output ``a = 0``: per lane
        ``BIAS_BITS`` bits, lowest cell first, in ``ceil(48 / (16 * ways))`` rows, most
        significant row first; the next output's rows follow. Of a scaled pass the row of its first
        record
    shift : int, right shift of the accumulator, bits; negative shifts left
    rounding : RoundMode, of that shift
    clip : (low, high), limits of the output, or of what is looked up, less ``zero``; 18-bit
        signed, the sum with it within 16 bits, with a table within 18
    scale : Scale; addend : bool, records have an addend
    floor : int, 0 .. ``FLOOR_MAX``, only of a MAC; 0 clears nothing
    zero : int, 16-bit signed, added to the clipped element
    x_zero : int, -32640 .. 32640, taken off every 8-bit element of X
    table : Table; table_shift : int, 0 .. 15, bits of the clipped element between two entries;
        table_rounding : RoundMode, of the interpolation and of its 8-bit result
    reduce : Reduce; fresh : bool, begin the scalar anew instead of going on with it; drop : int,
        0 .. 3, below ``ways``
    anchored : bool; adjust : Adjust; inverted : bool, every element is ``inverse`` instead
    hold : bool, keep the sums in the lanes; 4 beats, no table, scalars or reduction; resume : bool,
        begin with sums kept, not with a bias; entry : int, 0 .. 15
    back : int, 0 .. 63, and repeat : int, 0 .. 65535, go back so many passes, so often; advance :
        two ints, 16-bit signed
    wait : bool, start only when everything before has been written
    last : bool, the program ends here
    """

    x:         Access
    y:         Access
    z:         Access
    outer:     tuple = (1, 1, 1)
    taps:      tuple = (1, 1, 1)
    rows:      Axis = field(default_factory=Axis)
    cols:      Axis = field(default_factory=Axis)
    op:        Op = Op.MAC
    x_shape:   Shape = Shape.VECTOR
    y_shape:   Shape = Shape.VECTOR
    x_width:   Width = Width.BITS8
    y_width:   Width = Width.BITS8
    z_width:   Width = Width.BITS8
    z_memory:  Memory = Memory.X
    beats:     int = 4
    bias_row:  int | None = None
    shift:     int = 0
    rounding:  RoundMode = RoundMode.CONVERGENT
    clip:      tuple = (-128, 127)
    table:     Table = Table.NONE
    table_shift:    int = 0
    table_rounding: RoundMode = RoundMode.CONVERGENT
    reduce:    Reduce = Reduce.NONE
    fresh:     bool = True
    drop:      int = 0
    anchored:  bool = False
    adjust:    Adjust = Adjust.NONE
    inverted:  bool = False
    hold:      bool = False
    resume:    bool = False
    entry:     int = 0
    back:      int = 0
    repeat:    int = 0
    advance:   tuple = (0, 0)
    acc_range: AccumulatorRange = AccumulatorRange.BITS32
    scale:     Scale = Scale.NONE
    addend:    bool = False
    zero:      int = 0
    x_zero:    int = 0
    floor:     int = 0
    wait:      bool = False
    last:      bool = False


_RELATIVE = signed(ADDRESS_BITS)
_STRIDES  = data.ArrayLayout(signed(16), 3)
_COUNTS   = data.ArrayLayout(unsigned(16), 3)
_AXIS     = data.StructLayout({"pad": unsigned(16), "step": unsigned(16), "size": unsigned(16)})
#: Distance of the first valid tap from tap 0 at the first output; what each step takes off it.
_CLIP     = data.StructLayout({"start": _RELATIVE, "step": _RELATIVE})
_ACCESS   = data.StructLayout({
    "mode": AguMode, "move": Move, "order": unsigned(5), "start": _RELATIVE, "low": unsigned(16),
    "high": unsigned(17), "outer": _STRIDES})
_OPERAND  = data.StructLayout({
    "agu": _ACCESS, "taps": _STRIDES, "last": _RELATIVE, "rows": _CLIP, "cols": _CLIP})

#: The encoded pass. ``start`` is ``base - low``, ``high`` is ``high - low``; ``order``, ``last``
#: (highest relative address that an access may start at), ``rows`` and ``cols`` are derived.
Encoded = data.StructLayout({
    "op": Op, "wait": 1, "last": 1, "bias": 1,
    "x_shape": Shape, "y_shape": Shape, "x_width": Width, "y_width": Width, "z_width": Width,
    "z_memory": Memory, "rounding": RoundMode, "acc_range": AccumulatorRange, "beats": unsigned(3),
    "table": Table, "table_shift": unsigned(4), "table_rounding": RoundMode,
    "reduce": Reduce, "fresh": 1, "drop": unsigned(2), "anchored": 1, "adjust": Adjust,
    "inverted": 1, "hold": 1, "resume": 1, "entry": unsigned(4),
    "back": unsigned(6), "repeat": unsigned(16),
    "advance": data.ArrayLayout(signed(16), 2),
    "shift": signed(7), "clip": data.ArrayLayout(signed(ELEMENT_BITS), 2),
    "outer": _COUNTS, "taps": _COUNTS, "rows": _AXIS, "cols": _AXIS, "bias_row": unsigned(16),
    "x": _OPERAND, "y": _OPERAND, "z": _ACCESS,
    "scale": Scale, "addend": 1, "zero": signed(16), "x_zero": signed(16),
    "floor": unsigned(FLOOR_MAX.bit_length())})
FIELDS = tuple(Encoded.members)


#: An 8-bit element less this, or plus this, is the farthest that 16 bits can hold.
_X_ZERO_MAX = (1 << 15) - (1 << 7)


def bias_rows(ways):
    """Rows of Y that hold the bias of one output of every lane, or one record of parameters."""
    return -(-BIAS_BITS // (16 * ways))


def records(pass_):
    """Records of Y that each outermost index of a pass has, the bias included."""
    return 0 if pass_.bias_row is None else 1 + (pass_.scale is not Scale.NONE) + pass_.addend


def _parts(layout, name="", path=(), offset=0):
    """Yield name, path of keys, offset and shape of all arrays and numbers in ``layout``."""
    if isinstance(layout, data.Layout):
        array = isinstance(layout, data.ArrayLayout)
        if array:
            yield name, path, offset, layout
        for key, member in layout:
            step = f"[{key}]" if array else f".{key}" if name else key
            yield from _parts(member.shape, name + step, (*path, key), offset + member.offset)
    else:
        yield name, path, offset, unsigned(layout) if isinstance(layout, int) else layout


# Looked up once: Amaranth's own way to encode, ``Encoded.const``, takes thirty times as long.
_PARTS = tuple(_parts(Encoded))


def _encode(fields):
    """Encode nested dicts and sequences as the bits of ``Encoded``.

    ValueError unless every part fits its shape: Amaranth truncates.
    """
    bits = 0
    for name, path, offset, shape in _PARTS:
        value = functools.reduce(operator.getitem, path, fields)
        if isinstance(shape, data.ArrayLayout):
            if len(value) != shape.length:
                raise ValueError(f"{name} must have {shape.length} values, not {len(value)}")
        elif isinstance(shape, type):  # an enumeration
            bits |= shape(value).value << offset
        else:
            low  = -(1 << shape.width - 1) if shape.signed else 0
            high = (1 << shape.width - shape.signed) - 1
            if not low <= value <= high:
                raise ValueError(f"{name} must be between {low} and {high}, not {value!r}")
            bits |= (int(value) & (1 << shape.width) - 1) << offset
    return bits


def _encode_access(access):
    length = access.high - access.low + 1
    if access.mode is AguMode.BIT_REVERSED and (length < 1 or length & length - 1):
        raise ValueError(f"The window of a bit-reversed access must be a power of two long, "
                         f"not {length}")
    if access.mode is AguMode.MODULO:
        if access.move is not Move.NONE:
            raise ValueError(f"The base of a modulo access must not move, not by "
                             f"{access.move.name}")
        for stride in access.outer:
            if abs(stride) > length:
                raise ValueError(f"Outer strides of a modulo access must be within its window of "
                                 f"{length}, not {stride}")
        if not access.low <= access.base <= access.high:
            raise ValueError(f"The base of a modulo access must be in its window, "
                             f"not {access.base}")
    return {"mode": access.mode, "move": access.move, "order": max(length - 1, 0).bit_length(),
            "start": access.base - access.low, "low": access.low,
            "high": max(length - 1, 0) if length > 0 else (1 << 17) - 1,
            "outer": access.outer}


def _encode_operand(access, rows, cols, span):
    clips = ((rows, access.taps[0]), (cols, access.taps[1]))
    row_clip, col_clip = ({"start": axis.pad * stride, "step": axis.step * stride}
                          for axis, stride in clips)
    return {"agu": _encode_access(access), "taps": access.taps,
            "last": access.high - access.low - (span - 1), "rows": row_clip, "cols": col_clip}


def _check_held(pass_):
    """Raise ValueError for a pass that holds or resumes sums and does what does not go with it."""
    scalars = pass_.anchored or pass_.inverted or pass_.adjust is not Adjust.NONE
    if pass_.hold and (pass_.table is not Table.NONE or pass_.reduce is not Reduce.NONE or scalars):
        raise ValueError(f"A pass that holds its sums cannot use a table, a reduction or scalars: "
                         f"table {pass_.table.name}, reduce {pass_.reduce.name}, adjust "
                         f"{pass_.adjust.name}, anchored {pass_.anchored}, inverted "
                         f"{pass_.inverted}")
    if pass_.resume and (pass_.bias_row is not None or pass_.op is not Op.MAC):
        raise ValueError(f"A pass that resumes sums must be a MAC without a bias, not "
                         f"{pass_.op.name} with bias_row {pass_.bias_row}")
    if (pass_.hold or pass_.resume) and pass_.entry + pass_.outer[0] > HELD:
        raise ValueError(f"A pass has {HELD} entries to hold or resume sums, not {pass_.outer[0]} "
                         f"from entry {pass_.entry} on")
    if pass_.hold and pass_.resume and pass_.outer[1] * pass_.outer[2] > 1:
        raise ValueError(f"A pass that resumes and holds its sums must have 1 output for an entry, "
                         f"not {pass_.outer[1] * pass_.outer[2]}")


def _check_scaled(pass_):
    """Raise ValueError for a scale or a zero point with what does not go with it."""
    uses = {"hold": pass_.hold, "resume": pass_.resume, "anchored": pass_.anchored,
            "adjust": pass_.adjust is not Adjust.NONE, "inverted": pass_.inverted,
            "shift": pass_.shift != 0, "no bias": pass_.bias_row is None}
    if pass_.scale is not Scale.NONE and any(uses.values()):
        raise ValueError(f"A scaled pass must have a bias and no hold, resume, anchored, adjust, "
                         f"inverted or shift, not {', '.join(use for use in uses if uses[use])}")
    if pass_.floor and pass_.op is not Op.MAC:
        raise ValueError(f"A pass that floors its sums must be a MAC, not {pass_.op.name}")
    if pass_.addend and pass_.scale is Scale.NONE:
        raise ValueError("A pass with an addend must be scaled, not of scale NONE")
    bits = 16 if pass_.table is Table.NONE else ELEMENT_BITS
    for limit in pass_.clip:
        if not -(1 << bits - 1) <= limit + pass_.zero < 1 << bits - 1:
            raise ValueError(f"A limit of the output and its zero point must add up to {bits} "
                             f"bits, not {limit} and {pass_.zero}")
    if pass_.x_zero and pass_.x_width is not Width.BITS8:
        raise ValueError(f"A zero point of X must be of 8-bit elements, not of "
                         f"{pass_.x_width.name}")
    if abs(pass_.x_zero) > _X_ZERO_MAX:
        raise ValueError(f"x_zero must be between {-_X_ZERO_MAX} and {_X_ZERO_MAX}, not "
                         f"{pass_.x_zero}")


def pack(pass_):
    """Encode a ``Pass`` as the integer that program memory holds.

    Refuses what does not fit its field (ValueError naming the field, the limits and the value), not
    what the hardware refuses by a ``Status``. An empty window is encoded as one too long for any
    memory.
    """
    span = pass_.beats if pass_.x_shape is Shape.LANES else 1
    if pass_.x.mode is AguMode.BIT_REVERSED and span > 1:
        raise ValueError(f"A bit-reversed access of X by lanes must have 1 beat, not {span}")
    if pass_.reduce in (Reduce.MAX, Reduce.MIN) and (
            pass_.anchored or pass_.adjust in (Adjust.SHIFT, Adjust.TABLE)):
        raise ValueError(f"A pass cannot use the range that it makes: reduce {pass_.reduce.name}, "
                         f"anchored {pass_.anchored}, adjust {pass_.adjust.name}")
    _check_held(pass_)
    fields = {name: getattr(pass_, name) for name in FIELDS if hasattr(pass_, name)}
    fields |= {
        "rows": vars(pass_.rows), "cols": vars(pass_.cols), "bias": pass_.bias_row is not None,
        "bias_row": pass_.bias_row or 0, "wait": int(pass_.wait), "last": int(pass_.last),
        "x": _encode_operand(pass_.x, pass_.rows, pass_.cols, span),
        "y": _encode_operand(pass_.y, pass_.rows, pass_.cols, 1),
        "z": _encode_access(pass_.z)}
    fields |= {name: int(fields[name]) for name in (
        "bias", "fresh", "anchored", "inverted", "hold", "resume", "addend")}
    bits = _encode(fields)
    _check_scaled(pass_)
    return bits


def pack_words(pass_):
    """Encode a ``Pass`` as its ``PASS_WORDS`` words of 64 bits."""
    packed = pack(pass_)
    return [packed >> 64 * index & (1 << 64) - 1 for index in range(PASS_WORDS)]


class Program(tuple):
    """Passes as program memory holds them, each encoded once.

    ``words`` has the ``PASS_WORDS`` words of 64 bits of every pass, a list of lists. ValueError if
    something does not fit its field, see ``pack``.
    """

    def __new__(cls, passes):
        """Encode ``passes``; a Program is taken as it is."""
        if isinstance(passes, cls):
            return passes
        program = super().__new__(cls, passes)
        program.words = [pack_words(pass_) for pass_ in program]
        return program

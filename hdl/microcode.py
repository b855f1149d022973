"""Microinstructions of the compact core, and the assembler that makes words of them."""

from amaranth.lib import data, enum

from .isa import Encoded

__all__ = ["CODE_DEPTH", "GROUP_END", "GROUP_FIRST", "REGISTERS", "Assembler", "Condition",
           "Instruction", "Op", "Source", "Special", "field_place"]

CODE_DEPTH  = 1024  #: Microinstructions.
REGISTERS   = 256   #: Registers of the datapath, signed, ``WORD_BITS`` bits each.
GROUP_FIRST = 96    #: From here to ``GROUP_END`` are groups of 4: ``LANE`` is or'ed to the number.
GROUP_END   = 192


class Op(enum.Enum, shape=5):
    """What an instruction does. ``a`` is a register, ``b`` what its ``Source`` says."""

    ADD   = 0   #: d = a + b
    SUB   = 1   #: d = a - b
    AND   = 2   #: d = a & b
    OR    = 3   #: d = a | b
    XOR   = 4   #: d = a ^ b
    ROUND = 5   #: d = a + b + 1 if the last ``SHIFT`` rounds up by the mode in ``Special.ROUNDING``
    REVERSE = 6   #: d = the lowest 16 bits of a in reverse order
    MULTIPLY = 7  #: P = a * b, the lowest 32 bits of each, signed
    SHIFT = 8   #: S = a >> b; keeps what rounding needs
    FIELD = 9   #: d = a & field of the pass in ``Special.PASS``; see ``Assembler.field``
    SET   = 10  #: special d = a + b
    LOAD  = 11  #: The next instruction, and only it, finds cell a + b as ``Source.CELL``.
    STORE = 12  #: Cell a + b becomes ``Special.DATA``.
    STORE_ELEMENT = 13  #: Element a + b of the memory of Z becomes ``Special.DATA``.
    RUN   = 14  #: Combine the products of ``Special.COUNT`` steps with the sums.
    BRANCH = 15
    CALL   = 16
    RETURN = 17


class Source(enum.Enum, shape=3):
    """What an instruction takes as ``b``."""

    REGISTER = 0
    PRODUCT  = 1  #: P
    SHIFTED  = 2  #: S
    HOST     = 3  #: Cell that the host has written; see ``Condition.WROTE``.
    CELL     = 4  #: Cell of the ``Op.LOAD`` before, signed.
    ENTRY    = 5  #: Entry of the tables that ``Special.PLACE`` chose, signed.
    FIELD    = 6  #: For ``Op.FIELD`` alone: 16 bits, signed.
    CYCLES   = 7  #: Cycles of the program.


class Special(enum.Enum, shape=5):
    """Registers of the datapath that are not in its register file."""

    LANE     = 0
    ROUNDING = 2   #: RoundMode.
    PLACE    = 3   #: Place in the tables.
    DATA     = 4   #: What is stored.
    PASS     = 5   #: Pass that ``Op.FIELD`` reads.
    X        = 6   #: Element of X of the next step.
    Y        = 7   #: Address of Y of the next step.
    X_STRIDE = 8   #: From one step to the next.
    Y_STRIDE = 9
    COUNT    = 10  #: Steps.
    X_ZERO   = 11
    X_WIDE   = 12
    Y_WIDE   = 13
    Z_WIDE   = 14
    Z_MEMORY = 15
    X_LANES  = 16  #: Shape of X.
    BEATS    = 17  #: Lanes that ``Op.RUN`` sums in, less 1.
    KIND     = 18  #: isa.Op of the steps.
    STATE    = 19  #: isa.State, as the host sees it.
    CYCLES   = 20  #: Any value sets the cycles to 0.
    ANSWER   = 21  #: Any value lets the host go on after a command or a write that is noticed.
    READY    = 22  #: Any value lets the host in.


class Condition(enum.Enum, shape=4):
    """When a branch is taken; of the result of the last ``ADD`` to ``REVERSE`` or ``FIELD``."""

    ALWAYS   = 0
    ZERO     = 1
    NONZERO  = 2
    NEGATIVE = 3
    POSITIVE_OR_ZERO = 4
    NEGATIVE_OR_ZERO = 5
    POSITIVE = 6
    START    = 8   #: The host writes a start to ``Register.CONTROL`` and waits.
    CLEAR    = 9   #: It writes a clear.
    WROTE    = 10  #: It has written a cell of X, Y or the program during a run, and waits.


#: An instruction. A branch or call has its target, ``a`` and ``b`` together, and in ``d`` its
#: Condition; ``Op.FIELD`` has the bit of the pass in ``source`` (whether it is of 16 bits, signed)
#: and ``b`` and above.
Instruction = data.StructLayout({"b": 8, "a": 8, "d": 8, "source": Source, "op": Op})


def field_place(path):
    """Offset and shape of a leaf of ``isa.Encoded``, such as ``"x.agu.outer.1"``, bits."""
    layout, offset = Encoded, 0
    for part in path.split("."):
        found   = layout[int(part) if part.isdigit() else part]
        offset += found.offset
        layout  = found.shape
    return offset, layout


class Assembler:
    """Collect microinstructions, labels, registers and constants.

    Operands are names of registers, which are given a place when they are first used, ints, which
    become registers that hold them, or as ``b`` a ``Source``. Names with a dot in front are groups
    of 4 registers, chosen by ``Special.LANE``; ``".name+2"`` is a certain one of them while
    ``LANE`` is 0.

    Parameters
    ----------
    triples : names of groups of which only three are used; the fourth is a register like others,
        as 3 stays 3 whatever is or'ed to it

    Attributes
    ----------
    constants : dict, register number: its value at first
    """

    def __init__(self, triples=()):
        self._code, self._labels = [], {}
        self._names, self._groups, self._values = {}, {}, {}
        self.constants = {}
        fourths    = [self.register(f"{name}+3") for name in triples]
        self._free = [*range(GROUP_FIRST), *range(GROUP_END, REGISTERS), *fourths][::-1]

    def __getattr__(self, name):
        """Methods ``add``, ``sub``, ... for the operations with ``d``, ``a`` and ``b``."""
        if name.upper() not in Op.__members__:
            raise AttributeError(name)
        return lambda *operands: self._emit(Op[name.upper()], *operands)

    def register(self, operand):
        """Number of the register that an operand names."""
        if isinstance(operand, int):
            if operand not in self._values:
                self._values[operand] = number = self._direct()
                self.constants[number] = operand
            return self._values[operand]
        if operand.startswith("."):
            name, _, member = operand.partition("+")
            first = self._groups.setdefault(name, GROUP_FIRST + 4 * len(self._groups))
            if first >= GROUP_END:
                raise ValueError(f"There are {len(self._groups)} groups of registers, no more than "
                                 f"{(GROUP_END - GROUP_FIRST) // 4} fit")
            return first + int(member or 0)
        if operand not in self._names:
            self._names[operand] = self._direct()
        return self._names[operand]

    def _direct(self):
        if not self._free:
            raise ValueError("There are more registers and constants than places for them")
        return self._free.pop()

    def _emit(self, op, *operands):
        d, a, b = operands
        source = b if isinstance(b, Source) else Source.REGISTER
        d = d.value if isinstance(d, Special) else self.register(d)
        self._code.append((op, source, d, self.register(a),
                           0 if isinstance(b, Source) else self.register(b)))

    def move(self, d, b):
        """d = b"""
        self.add(d, 0, b)

    def set(self, special, a, b=0):
        """A special register becomes a + b, or a alone if that is a ``Source``."""
        self._emit(Op.SET, special, *((0, a) if isinstance(a, Source) else (a, b)))

    def compare(self, a, b):
        """Set the conditions by a - b."""
        self.sub("nothing", a, b)

    def test(self, a):
        """Set the conditions by a."""
        self.add("nothing", a, 0)

    def multiply(self, a, b):
        self._emit(Op.MULTIPLY, "nothing", a, b)

    def shift(self, a, b):
        self._emit(Op.SHIFT, "nothing", a, b)

    def load(self, a, b):
        self._emit(Op.LOAD, "nothing", a, b)

    def store(self, a, b, data):
        """Cell a + b becomes ``data``, a register or a ``Source``."""
        self.set(Special.DATA, data)
        self._emit(Op.STORE, "nothing", a, b)

    def store_again(self, a, b):
        """Cell a + b becomes what was stored last."""
        self._emit(Op.STORE, "nothing", a, b)

    def store_element(self, a, b, data):
        self.set(Special.DATA, data)
        self._emit(Op.STORE_ELEMENT, "nothing", a, b)

    def run(self, sums):
        """Combine the steps with a group of registers."""
        self._emit(Op.RUN, sums, sums, 0)

    def field(self, d, path):
        """d = field ``path`` of the pass."""
        offset, shape = field_place(path)
        width = getattr(shape, "width", None) or shape.as_shape().width \
            if not isinstance(shape, int) else shape
        signed = getattr(shape, "signed", False)
        wide   = signed and width == 16
        mask   = -1 if wide else (1 << width) - 1
        self._code.append((Op.FIELD, Source(4 * wide + (offset >> 8)), self.register(d),
                           self.register(mask), offset & 0xFF))
        if signed and not wide:
            sign = 1 << width - 1
            self.xor(d, d, sign)
            self.sub(d, d, sign)

    def label(self, name):
        """The next instruction is where branches to ``name`` lead."""
        if name in self._labels:
            raise ValueError(f"Label {name!r} is there twice")
        self._labels[name] = len(self._code)

    def branch(self, condition, label):
        """Go on at a label if the condition holds."""
        self._code.append((Op.BRANCH, condition, label))

    def go(self, label):
        self.branch(Condition.ALWAYS, label)

    def call(self, label):
        """Go on at a label until a ``RETURN`` there; calls nest to ``Engine.CALLS``."""
        self._code.append((Op.CALL, Condition.ALWAYS, label))

    def ret(self):
        self._emit(Op.RETURN, "nothing", 0, 0)

    def words(self):
        """All instructions as ints; KeyError for a label that is not there."""
        return [self._word(*item) for item in self._code]

    def _word(self, op, *rest):
        if op in (Op.BRANCH, Op.CALL):
            condition, target = rest[0].value, self._labels[rest[1]]
            source, d, a, b = Source.REGISTER, condition, target >> 8, target & 0xFF
        else:
            source, d, a, b = rest
        return Instruction.const({"b": b, "a": a, "d": d, "source": source,
                                  "op": op}).as_value().value

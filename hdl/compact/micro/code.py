"""Microinstructions of the compact core."""

from amaranth.lib import data, enum

from hdl.isa import Encoded

__all__ = ["ALWAYS", "AT_LEAST", "AT_MOST", "CODE_DEPTH", "GROUP_END", "GROUP_FIRST", "NEGATIVE",
           "NONZERO", "POSITIVE", "REGISTERS", "ZERO", "Condition", "Instruction", "Op", "Source",
           "Special", "field_place"]

CODE_DEPTH  = 1024  #: Microinstructions.
REGISTERS   = 256   #: Registers of the datapath, 64 bits each, signed.
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
    LOAD  = 11  #: The instruction after the next finds cell a + b as ``Source.CELL``.
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
    CELL     = 4  #: Cell of the last ``Op.LOAD`` but that right before, signed.
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
    QUIET    = 11  #: It has not.


ALWAYS, ZERO, NONZERO = Condition.ALWAYS, Condition.ZERO, Condition.NONZERO
NEGATIVE, POSITIVE    = Condition.NEGATIVE, Condition.POSITIVE
AT_LEAST, AT_MOST     = Condition.POSITIVE_OR_ZERO, Condition.NEGATIVE_OR_ZERO

#: An instruction. A branch or call has its target, ``a`` and ``b`` together, and in ``d`` its
#: Condition; ``Op.FIELD`` has the bit of the pass in ``source`` (whether it is of 16 bits, signed)
#: and ``b`` and above.
Instruction = data.StructLayout({"b": 8, "a": 8, "d": 8, "source": Source, "op": Op})


def field_place(path):
    """Offset and shape of a leaf of ``isa.Encoded``, such as ``"x.agu.outer.1"``, bits."""
    layout, offset = Encoded, 0
    for part in path.split("."):
        member  = layout[int(part) if part.isdigit() else part]
        offset += member.offset
        layout  = member.shape
    return offset, layout

# SPDX-License-Identifier: Apache-2.0
"""The compact core's microinstructions."""

from amaranth.lib import data, enum

from xymac.hdl.isa import Encoded

__all__ = ["ALWAYS", "AT_LEAST", "AT_MOST", "CODE_DEPTH", "GROUP_END", "GROUP_FIRST", "NEGATIVE",
           "NONZERO", "POSITIVE", "REGISTERS", "ZERO", "Condition", "Instruction", "Op", "Source",
           "Special", "field_place"]

CODE_DEPTH  = 1024  #: Microinstructions.
REGISTERS   = 256   #: Registers of the datapath, 64 bits each, signed.
GROUP_FIRST = 96    #: Groups of 4 up to ``GROUP_END``: ``LANE`` is OR'ed into the register number.
GROUP_END   = 192


class Op(enum.Enum, shape=5):
    """Operation; ``a`` is a register, ``b`` the operand selected by ``Source``."""

    ADD   = 0   #: d = a + b
    SUB   = 1   #: d = a - b
    AND   = 2   #: d = a & b
    OR    = 3   #: d = a | b
    XOR   = 4   #: d = a ^ b
    ROUND = 5   #: d = a + b, + 1 if the last ``SHIFT`` rounds up in the mode ``Special.ROUNDING``
    REVERSE = 6   #: d = the lowest 16 bits of a in reverse order
    MULTIPLY = 7  #: P = a * b, the lowest 32 bits of each, signed
    SHIFT = 8   #: S = a >> b; keeps the lost bits for rounding
    FIELD = 9   #: d = a & a field of pass ``Special.PASS``; see ``Assembler.field``
    SET   = 10  #: special d = a + b
    LOAD  = 11  #: ``Source.CELL`` = memory[a + b], for the instruction after the next.
    STORE = 12  #: memory[a + b] = ``Special.DATA``
    STORE_ELEMENT = 13  #: Element a + b of the Z memory = ``Special.DATA``
    RUN   = 14  #: Accumulate the products of ``Special.COUNT`` steps.
    BRANCH = 15
    CALL   = 16
    RETURN = 17


class Source(enum.Enum, shape=3):
    """Source of operand ``b``."""

    REGISTER = 0
    PRODUCT  = 1  #: P
    SHIFTED  = 2  #: S
    HOST     = 3  #: Address of the word that the host has written; see ``Condition.WROTE``.
    CELL     = 4  #: Word of the last ``Op.LOAD``, ignoring the instruction right before; signed.
    ENTRY    = 5  #: Table entry at ``Special.PLACE``, signed.
    FIELD    = 6  #: Only for ``Op.FIELD``: a signed field of 16 bits.
    CYCLES   = 7  #: Cycle count of the program.


class Special(enum.Enum, shape=5):
    """Datapath registers outside the register file."""

    LANE     = 0
    ROUNDING = 2   #: RoundMode.
    PLACE    = 3   #: Table address.
    DATA     = 4   #: Store data.
    PASS     = 5   #: Pass that ``Op.FIELD`` reads.
    X        = 6   #: X element of the next step.
    Y        = 7   #: Y address of the next step.
    X_STRIDE = 8   #: X stride between steps.
    Y_STRIDE = 9
    COUNT    = 10  #: Number of steps.
    X_ZERO   = 11
    X_WIDE   = 12
    Y_WIDE   = 13
    Z_WIDE   = 14
    Z_MEMORY = 15
    X_LANES  = 16  #: Shape of X.
    BEATS    = 17  #: Lanes that accumulate in ``Op.RUN``, minus 1.
    KIND     = 18  #: isa.Op of the steps.
    STATE    = 19  #: isa.State, visible to the host.
    CYCLES   = 20  #: Any value clears the cycle count.
    ANSWER   = 21  #: Any value acknowledges a host command or a host write.
    READY    = 22  #: Any value opens the host port.


class Condition(enum.Enum, shape=4):
    """Branch condition, on the result of the last ``ADD`` to ``REVERSE`` or ``FIELD``."""

    ALWAYS   = 0
    ZERO     = 1
    NONZERO  = 2
    NEGATIVE = 3
    POSITIVE_OR_ZERO = 4
    NEGATIVE_OR_ZERO = 5
    POSITIVE = 6
    START    = 8   #: The host writes a start to ``Register.CONTROL`` and waits.
    CLEAR    = 9   #: The host writes a clear and waits.
    WROTE    = 10  #: The host has written X, Y or the program during a run, and waits.
    QUIET    = 11  #: Not ``WROTE``.


ALWAYS, ZERO, NONZERO = Condition.ALWAYS, Condition.ZERO, Condition.NONZERO
NEGATIVE, POSITIVE    = Condition.NEGATIVE, Condition.POSITIVE
AT_LEAST, AT_MOST     = Condition.POSITIVE_OR_ZERO, Condition.NEGATIVE_OR_ZERO

#: An instruction. A branch or call holds its target in ``a`` and ``b`` together and its Condition
#: in ``d``. ``Op.FIELD`` holds the bit offset in the pass: the low 8 bits in ``b``, the upper bits
#: in the low bits of ``source``, whose bit 2 marks a signed field of 16 bits.
Instruction = data.StructLayout({"b": 8, "a": 8, "d": 8, "source": Source, "op": Op})


def field_place(path):
    """Bit offset and shape of a leaf of ``isa.Encoded``, such as ``"x.agu.outer.1"``."""
    layout, offset = Encoded, 0
    for part in path.split("."):
        member  = layout[int(part) if part.isdigit() else part]
        offset += member.offset
        layout  = member.shape
    return offset, layout

# SPDX-License-Identifier: Apache-2.0
"""Assembler for the compact core's microprogram."""

from .code import (
    AT_LEAST,
    AT_MOST,
    GROUP_END,
    GROUP_FIRST,
    NEGATIVE,
    REGISTERS,
    Condition,
    Instruction,
    Op,
    Source,
    Special,
    field_place,
)

__all__ = ["Assembler"]

_NOTHING = "nothing"  # register for unused results


class Assembler:
    """Collect microinstructions, labels, registers and constants.

    An operand is a register name, an int, or, as ``b``, a ``Source``. The first use of a name
    allocates its register; an int becomes a register that holds it. A name with a leading dot is a
    group of 4 registers, indexed by ``Special.LANE``; ``".name+2"`` is member 2 while ``LANE`` is
    0. KeyError for an undeclared name, ValueError for an invalid member.

    Parameters
    ----------
    names : str each, all registers and groups
    triples : groups that use only three members. The fourth register is free for other names: its
        number ends in 3, so OR with ``LANE`` does not change it

    Attributes
    ----------
    constants : dict, register number: its value after reset
    """

    def __init__(self, names, *, triples=()):
        self._declared = {*names, _NOTHING}
        self._code, self._labels = [], {}
        self._names, self._groups, self._values = {}, {}, {}
        self.constants, self._uses = {}, 0
        fourths    = [self.register(f"{name}+3") for name in triples]
        self._free = [*range(GROUP_FIRST), *range(GROUP_END, REGISTERS), *fourths][::-1]

    def __getattr__(self, name):
        """Methods ``add``, ``sub``, ... for the operations on ``d``, ``a`` and ``b``."""
        if name.upper() not in Op.__members__:
            raise AttributeError(name)
        return lambda *operands: self._emit(Op[name.upper()], *operands)

    def register(self, operand):
        """An operand's register number."""
        if isinstance(operand, int):
            if operand not in self._values:
                self._values[operand] = number = self._direct()
                self.constants[number] = operand
            return self._values[operand]
        name, _, member = operand.partition("+")
        if name not in self._declared:
            raise KeyError(f"Register {name!r} is not declared")
        if name.startswith("."):
            if member not in ("", "0", "1", "2", "3"):
                raise ValueError(f"Member of a group must be 0 to 3, not {operand!r}")
            first = self._groups.setdefault(name, GROUP_FIRST + 4 * len(self._groups))
            if first >= GROUP_END:
                raise ValueError(f"There are {len(self._groups)} groups of registers, no more than "
                                 f"{(GROUP_END - GROUP_FIRST) // 4} fit")
            return first + int(member or 0)
        if member:
            raise ValueError(f"Only a group has members, not {name!r}: {operand!r}")
        if name not in self._names:
            self._names[name] = self._direct()
        return self._names[name]

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
        """Set a special register to a + b, or to a if that is a ``Source``."""
        self._emit(Op.SET, special, *((0, a) if isinstance(a, Source) else (a, b)))

    def compare(self, a, b):
        """Set the conditions from a - b."""
        self.sub(_NOTHING, a, b)

    def test(self, a):
        """Set the conditions from a."""
        self.add(_NOTHING, a, 0)

    def multiply(self, a, b):
        """Source.PRODUCT = a * b"""
        self._emit(Op.MULTIPLY, _NOTHING, a, b)

    def shift(self, a, b):
        """Source.SHIFTED = a >> b"""
        self._emit(Op.SHIFT, _NOTHING, a, b)

    def load(self, a, b):
        """Source.CELL = memory[a + b], for the instruction after the next."""
        self._emit(Op.LOAD, _NOTHING, a, b)

    def store(self, a, b, data):
        """memory[a + b] = data, a register or a ``Source``."""
        self.set(Special.DATA, data)
        self._emit(Op.STORE, _NOTHING, a, b)

    def store_again(self, a, b):
        """memory[a + b] = the data of the last store."""
        self._emit(Op.STORE, _NOTHING, a, b)

    def store_element(self, a, b, data):
        """Element a + b of the Z memory = data, a register or a ``Source``."""
        self.set(Special.DATA, data)
        self._emit(Op.STORE_ELEMENT, _NOTHING, a, b)

    def run(self, sums):
        """Accumulate the steps into a register group."""
        self._emit(Op.RUN, sums, sums, 0)

    def field(self, d, path, last=None):
        """d = pass field ``path``; with ``last`` all bits from ``path`` to the end of ``last``."""
        offset, shape = field_place(path)
        width = _width(shape)
        if last:
            end, shape = field_place(last)
            width = end + _width(shape) - offset
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
        """Set branch target ``name`` to the next instruction."""
        if name in self._labels:
            raise ValueError(f"Label {name!r} is there twice")
        self._labels[name] = len(self._code)

    def place(self, name):
        """A label's instruction address; KeyError for an unknown label."""
        return self._labels[name]

    def branch(self, condition, label):
        """Branch to a label if the condition holds."""
        self._code.append((Op.BRANCH, condition, label))

    def go(self, label):
        """Branch to a label."""
        self.branch(Condition.ALWAYS, label)

    def call(self, label):
        """Call the subroutine at a label; calls nest up to ``Fetch.CALLS`` deep."""
        self._code.append((Op.CALL, Condition.ALWAYS, label))

    def ret(self):
        """Return from a subroutine."""
        self._emit(Op.RETURN, _NOTHING, 0, 0)

    def new(self, name):
        """Unique label, derived from ``name``."""
        self._uses += 1
        return f"{name} {self._uses}"

    def unless(self, condition):
        """Context manager that skips its body if the condition holds."""
        return _Skip(self, condition)

    def limit(self, value, low, high):
        """Clip a register to ``low`` .. ``high``."""
        self.at_most(value, high)
        self.at_least(value, low)

    def at_most(self, value, high):
        """Clip a register from above."""
        self.compare(value, high)
        with self.unless(AT_MOST):
            self.move(value, high)

    def at_least(self, value, low):
        """Clip a register from below."""
        self.compare(value, low)
        with self.unless(AT_LEAST):
            self.move(value, low)

    def each(self, count, lane="lane"):
        """Context manager of a loop over group members; ``LANE`` is 0 after it."""
        return _Each(self, count, lane)

    def wrap(self, value, bits):
        """Sign-extend the lowest ``bits`` of a register."""
        self.and_(value, value, (1 << bits) - 1)
        self.xor(value, value, 1 << bits - 1)
        self.sub(value, value, 1 << bits - 1)

    def and_(self, d, a, b):
        """d = a & b"""
        getattr(self, "and")(d, a, b)

    def or_(self, d, a, b):
        """d = a | b"""
        getattr(self, "or")(d, a, b)

    def words(self):
        """All instructions as ints; KeyError for an unknown label."""
        return [self._word(*item) for item in self._code]

    def _word(self, op, *rest):
        if op in (Op.BRANCH, Op.CALL):
            condition, target = rest[0].value, self._labels[rest[1]]
            source, d, a, b = Source.REGISTER, condition, target >> 8, target & 0xFF
        else:
            source, d, a, b = rest
        return Instruction.const({"b": b, "a": a, "d": d, "source": source,
                                  "op": op}).as_value().value


class _Skip:
    """Skip the body of a ``with`` statement if a condition holds."""

    def __init__(self, program, condition):
        self._program, self._label = program, program.new("skip")
        program.branch(condition, self._label)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._program.label(self._label)


class _Each:
    """Repeat the body of a ``with`` statement for members 0 to ``count - 1`` of every group."""

    def __init__(self, program, count, lane):
        self._program, self._count, self._lane = program, count, lane
        self._label = program.new("each")

    def __enter__(self):
        self._program.move(self._lane, 0)
        self._program.label(self._label)
        self._program.set(Special.LANE, self._lane)

    def __exit__(self, *error):
        self._program.add(self._lane, self._lane, 1)
        self._program.compare(self._lane, self._count)
        self._program.branch(NEGATIVE, self._label)
        self._program.set(Special.LANE, 0)


def _width(shape):
    """Field shape width, bits."""
    if isinstance(shape, int):
        return shape
    return getattr(shape, "width", None) or shape.as_shape().width

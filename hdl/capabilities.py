"""Functions of a core, as its identification registers encode them."""

from dataclasses import dataclass, fields

from .isa import REGISTERS, Adjust, Dialect, Engine, Op, Reduce, Register

__all__ = ["Capabilities"]

_CODES = (("operations", Op), ("reductions", Reduce), ("adjusts", Adjust))


@dataclass(frozen=True)
class Capabilities:
    """Functions and sizes of one core.

    A planner asks a Capabilities before it uses a function; a host reads it from the registers of
    a core.

    Parameters
    ----------
    engine : Engine
    ways : int, MACs per lane
    x_rows, y_rows : int, depth of X and of Y memory
    passes : int, depth of program memory
    dialects : Dialect, supported libraries
    operations : frozenset of Op, and reductions : frozenset of Reduce: a pass with another one ends
        in a fault
    adjusts : frozenset of Adjust
    held : int, accumulators that a lane can save
    window : int, most rows of taps of a ``SLIDE``; 0 without
    tables : bool, the host can write tables
    """

    engine:     Engine
    ways:       int
    x_rows:     int
    y_rows:     int
    passes:     int
    dialects:   Dialect
    operations: frozenset
    reductions: frozenset
    adjusts:    frozenset
    held:       int
    window:     int
    tables:     bool

    def supports(self, code):
        """Whether a pass may have ``code``, an Op, a Reduce or an Adjust."""
        return any(code in getattr(self, name) for name, kind in _CODES if isinstance(code, kind))

    @property
    def parallel(self):
        """Whether lanes form products at the same time; a microprogram forms one after another."""
        return self.engine is Engine.ARRAY

    @property
    def functions(self):
        """Word of ``Register.FUNCTIONS``: bit n for Op n, bit 16 + n for Reduce n."""
        return self.words()[Register.FUNCTIONS.value]

    def words(self):
        """Words of the identification registers: ``{byte offset: word}``."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values |= {name: sum(1 << code.value for code in values[name]) for name, _ in _CODES}
        values |= {name: int(values[name].value) for name in ("dialects", "engine")}
        return {register.value: layout.reset or layout.pack(
            **{field.name: int(values[field.name]) for field in layout.fields})
            for register, layout in REGISTERS.items() if layout.access == "const"}

    @classmethod
    def read(cls, words):
        """The Capabilities of a core with such ``words``, as ``words()`` returns them.

        ValueError for an unknown ``Engine``. Unknown codes are ignored: a later core has more.
        """
        values = {}
        for offset, word in words.items():
            values |= REGISTERS[Register(offset)].unpack(word)
        if values["engine"] not in {engine.value for engine in Engine}:
            known = ", ".join(f"{engine.value} ({engine.name})" for engine in Engine)
            raise ValueError(f"the engine {values['engine']}, which is none of {known}")
        for name, kind in _CODES:
            values[name] = frozenset(code for code in kind if values[name] >> code.value & 1)
        every = sum(dialect.value for dialect in Dialect)
        values |= {"engine": Engine(values["engine"]), "tables": bool(values["tables"]),
                   "dialects": Dialect(values["dialects"] & every)}
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    def lacking(self, other):
        """Functions of ``other`` that this core lacks: names, a list."""
        lacking = [code.name for name, kind in (("dialects", Dialect), *_CODES) for code in kind
                   if code in getattr(other, name) and code not in getattr(self, name)]
        lacking += [f"{name} {getattr(other, name)}" for name in ("held", "window")
                    if getattr(self, name) < getattr(other, name)]
        return lacking + ["written tables"] * (other.tables and not self.tables)

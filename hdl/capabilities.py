# SPDX-License-Identifier: Apache-2.0
"""A core's functions and sizes, encoded in its identification registers."""

from dataclasses import dataclass, fields

from .isa import REGISTERS, Adjust, Dialect, Engine, Op, Reduce, Register

__all__ = ["Capabilities"]

_CODES = (("operations", Op), ("reductions", Reduce), ("adjusts", Adjust))


@dataclass(frozen=True)
class Capabilities:
    """A core's functions and sizes. A planner checks it before it uses a function; a host reads it
    from a core's registers.

    Parameters
    ----------
    engine : Engine
    ways : int, MACs per lane
    x_rows, y_rows : int, X and Y memory depth
    passes : int, program memory depth
    dialects : Dialect, supported libraries
    operations : frozenset of Op; reductions : frozenset of Reduce; a pass with any other code ends
        in a fault
    adjusts : frozenset of Adjust
    held : int, accumulators a lane can save
    window : int, most tap rows in a ``SLIDE``, 0 without ``SLIDE``
    tables : bool, the host can write tables
    dma : int, DMA data bits, 0 without
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
    dma:        int

    def supports(self, code):
        """True if a pass may use ``code``, an Op, a Reduce or an Adjust."""
        return any(code in getattr(self, name) for name, kind in _CODES if isinstance(code, kind))

    @property
    def parallel(self):
        """True if lanes form products in parallel; a microprogram forms them in sequence."""
        return self.engine is Engine.ARRAY

    @property
    def functions(self):
        """``Register.FUNCTIONS`` value: bit n for Op n, bit 16 + n for Reduce n."""
        return self.words()[Register.FUNCTIONS.value]

    def words(self):
        """Identification register values: ``{byte offset: word}``."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values |= {name: sum(1 << code.value for code in values[name]) for name, _ in _CODES}
        values |= {name: int(values[name].value) for name in ("dialects", "engine")}
        return {register.value: layout.reset or layout.pack(
            **{field.name: int(values[field.name]) for field in layout.fields})
            for register, layout in REGISTERS.items() if layout.access == "const"}

    @classmethod
    def read(cls, words):
        """Capabilities from ``words``, the inverse of ``words()``.

        ValueError for an unknown ``Engine``. Unknown codes from later cores are ignored.
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
        """List the names of all functions of ``other`` missing in this core."""
        lacking = [code.name for name, kind in (("dialects", Dialect), *_CODES) for code in kind
                   if code in getattr(other, name) and code not in getattr(self, name)]
        lacking += [f"{name} {getattr(other, name)}" for name in ("held", "window")
                    if getattr(self, name) < getattr(other, name)]
        return lacking + [name for name, field in (("written tables", "tables"), ("a DMA", "dma"))
                          if getattr(other, field) and not getattr(self, field)]

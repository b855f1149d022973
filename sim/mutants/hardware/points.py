# SPDX-License-Identifier: Apache-2.0
"""Mutation points: functions called by rewritten sources in place of their expressions."""

from contextlib import contextmanager

from amaranth import Mux, Signal, Value, ValueCastable
from amaranth.hdl import _ast
from amaranth.lib import data

from .values import (
    BESIDE,
    BINARY,
    COMPARE,
    IN_PLACE,
    STEPS,
    SWAPPED,
    beside,
    fit,
    is_castable,
    is_hardware,
    is_leaf,
    number_of,
    same,
    shaped,
    shifts,
)

__all__ = ["BITS", "Points"]

BITS = 16  #: Site and variant widths in the select register.


class Points:
    """Mutation points behind a select register.

    Parameters
    ----------
    only : (site, variant) or None; a pair builds a single mutant, without a select register
    left_out : set of (site, variant), not built

    Attributes
    ----------
    site, variant : Signals, the select register
    active : set of (site, variant), built so far
    owners : dict {site: component whose elaboration built it first}
    initial_values : dict {Signal id: (Signal, site)}, Signals with their own reset value
    """

    def __init__(self, only=None, left_out=()):
        self.only     = only
        self.left_out = frozenset(left_out)
        self.site     = Signal(BITS, name="mutant_site")
        self.variant  = Signal(BITS, name="mutant_variant")
        self.active   = set()
        self.initial_values = {}
        self.owners   = {}
        self._shared  = []  # (component, its statements), the innermost last

    @contextmanager
    def elaborating(self, component):
        """Context to elaborate a component; yields the statement list for shared operands."""
        self._shared.append((component, []))
        try:
            yield self._shared[-1][1]
        finally:
            self._shared.pop()

    def _share(self, operand):
        """``operand`` as a Signal, if it is an expression: several variants use it, and Amaranth
        would visit it as often, again in each expression around it."""
        if not isinstance(operand, Value | ValueCastable) or not self._shared or self.only:
            return operand
        value = Value.cast(operand)
        if is_leaf(value):
            return operand
        signal = Signal(value.shape(), name="mutant_operand")
        self._shared[-1][1].append(signal.eq(value))
        return shaped(operand, signal)

    def _allow(self, site, variants):
        chosen = {variant: value for variant, value in variants.items()
                  if (site, variant) not in self.left_out}
        if self._shared:
            self.owners.setdefault(site, self._shared[-1][0])
        self.active |= {(site, variant) for variant in chosen}
        return chosen

    def _choose(self, site, original, variants):
        """``original`` (Value or ValueCastable) with ``variants``, {number: Value}, behind the
        select register; the shape stays."""
        value    = Value.cast(original)
        variants = self._allow(site, {number: other for number, other in variants.items()
                                      if not same(Value.cast(other), value)})
        if not variants:
            return original
        if self.only is not None:
            chosen = variants.get(self.only[1]) if self.only[0] == site else None
            return original if chosen is None else shaped(original, fit(chosen, value))
        cases = [(number, fit(other, value)) for number, other in variants.items()]
        other = cases[0][1] if len(cases) == 1 else _ast.SwitchValue(
            self.variant, [*cases[:-1], (None, cases[-1][1])])
        return shaped(original, Mux(self.site == site, other, value))

    def _chosen(self, site, variant):
        """Condition in which a mutant is on."""
        if self.only is not None:
            return _ast.Const(int(self.only == (site, variant)))
        return (self.site == site) & (self.variant == variant)

    def binary(self, site, sign, left, right):
        """``left sign right``."""
        function = BINARY[sign]
        left, right = self._share(left), self._share(right)
        original = function(left, right)
        if not is_hardware(original) or not (is_hardware(left) or is_hardware(right)):
            return original
        variants = {}
        if sign in "+-*&|^":
            variants[1] = BINARY[SWAPPED[sign]](left, right)
        if sign in "&|^":
            variants |= {2: left, 3: right}
        if sign in ("<<", ">>"):
            variants |= shifts(sign, left, right)
        elif (number := number_of(right)) is not None:
            variants |= {4: function(left, number + 1), 5: function(left, number - 1)}
        elif (number := number_of(left)) is not None:
            variants |= {6: function(number + 1, right), 7: function(number - 1, right)}
        return self._choose(site, original, {number: value for number, value in variants.items()
                                             if is_castable(value)})

    def update(self, site, sign, left, right):
        """``left sign= right``."""
        if is_hardware(left) or is_hardware(right):
            return self.binary(site, sign, left, right)
        return IN_PLACE[sign](left, right)

    def folded(self, site, sign):
        """The function ``sign`` for ``reduce``."""
        return lambda left, right: self.binary(site, sign, left, right)

    def compare(self, site, sign, left, right):
        """``left sign right``."""
        left, right = self._share(left), self._share(right)
        original = COMPARE[sign](left, right)
        if not is_hardware(original):
            return original
        variants = {1: COMPARE[BESIDE[sign]](left, right)}
        number   = number_of(right)
        if number is not None:
            variants |= {variant: COMPARE[sign](Value.cast(left), number + by)
                         for variant, by in STEPS[sign].items()}
        return self._choose(site, original, variants)

    def unary(self, site, sign, operand):
        """``~`` or ``-``."""
        operand  = self._share(operand)
        original = ~operand if sign == "~" else -operand
        if not is_hardware(original):
            return original
        return self._choose(site, original, {1: operand})

    def subscript(self, site, value, index):
        """``value[index]`` for a Value or an array layout."""
        value    = self._share(value) if isinstance(value, Value) else value
        original = value[index]
        if not is_hardware(original):
            return original
        if isinstance(value, Value):
            indices = beside(len(value), index)
        elif isinstance(value, data.View) and isinstance(value.shape(), data.ArrayLayout) and (
                isinstance(index, int)):
            indices = beside(value.shape().length, index)
        else:
            return original
        return self._choose(site, original, {number: value[other]
                                             for number, other in indices.items()})

    def mux(self, site, condition, one, zero):
        """``Mux``."""
        one, zero = self._share(one), self._share(zero)
        original = Mux(condition, one, zero)
        return self._choose(site, original, {1: one, 2: zero})

    def reduction(self, site, name, value):
        """``any`` or ``all``."""
        value    = self._share(value)
        original = getattr(value, name)()
        if not isinstance(value, Value) or len(value) == 1:
            return original
        return self._choose(site, original, {1: value.all() if name == "any" else value.any()})

    def condition(self, site, condition):
        """An ``If`` condition."""
        if not is_hardware(condition):
            return condition
        value = Value.cast(condition)
        return self._choose(site, value if len(value) == 1 else value.bool(),
                            {1: _ast.Const(1), 2: _ast.Const(0)})

    def assign(self, site, target, value):
        """``target.eq(value)``; the statement may become a Switch."""
        number = number_of(value)
        if isinstance(target, Value | ValueCastable) and number is not None:
            width = len(Value.cast(target))
            steps = {2: 1, 3: -1} if width > 1 else {2: 1}
            fixed = _ast.Const(number, width)
            value = self._choose(site, fixed, {
                variant: _ast.Const(number + by & (1 << width) - 1, width)
                for variant, by in steps.items()})
            target = Value.cast(target)
        statement = target.eq(value)
        if not self._allow(site, {1: statement}):
            return statement
        if self.only is not None:
            return [] if self.only == (site, 1) else statement
        return _ast.Switch(self._chosen(site, 1), [("1", [], None), (None, [statement], None)])

    def transition(self, site, m, state):
        """``m.next = state``."""
        if not self._allow(site, {1: state}):
            m.next = state
            return
        if self.only is not None:
            if self.only != (site, 1):
                m.next = state
            return
        with m.If(~self._chosen(site, 1)):
            m.next = state

    def delay(self, site, m, value, cycles, *, name):
        """``xymac.hdl.arith.delay``."""
        from xymac.hdl.arith import delay  # rewritten like the caller

        original = delay(m, value, cycles, name=name)
        if not cycles:
            return original
        longer  = Signal.like(original, name=f"{name}_longer", reset_less=True)
        shorter = delay(m, value, cycles - 1, name=f"{name}_shorter")
        m.d.sync += longer.eq(original)
        return self._choose(site, original, {1: longer, 2: shorter})

    def initial(self, site, value):
        """A Signal or port reset value."""
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        return _Initial(value, site)

    def note_signal(self, signal, init):
        """Remember the site for a new Signal's reset value."""
        if isinstance(init, _Initial):
            self.initial_values[id(signal)] = signal, init.site


class _Initial(int):
    """A reset value that knows its site."""

    def __new__(cls, value, site):
        self = super().__new__(cls, value)
        self.site = site
        return self

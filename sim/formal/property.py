# SPDX-License-Identifier: Apache-2.0
"""Component properties, and faults that must break them."""

from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from unittest.mock import patch

from amaranth import ClockDomain, Module, Mux, Signal, Value
from amaranth.hdl import Assume, Elaboratable

from xymac.host.plural import plural

__all__ = ["Bench", "Fault", "Method", "Property", "Theorem", "hold", "steady"]


class Method(Enum):
    """Proof method."""

    BOUNDED   = "bounded"    #: All inputs in the first cycles after the reset.
    INDUCTION = "induction"  #: Unbounded: k-induction, and the first cycles.
    GATES     = "gates"      #: As bounded, on gates, for wide data.
    PDR       = "pdr"        #: Unbounded: property directed reachability finds its own invariant.


@dataclass(frozen=True)
class Fault:
    """A hardware change that breaks a property.

    Parameters
    ----------
    text : str, description
    target : module or class
    attribute : str, name of the attribute to replace
    change : function from the attribute to its replacement
    """

    text:      str
    target:    object
    attribute: str
    change:    object

    @contextmanager
    def planted(self):
        """Context manager in which the hardware has the fault."""
        original = getattr(self.target, self.attribute)
        with patch.object(self.target, self.attribute, self.change(original)):
            yield


@dataclass(frozen=True)
class Property:
    """A property that holds for all inputs.

    Parameters
    ----------
    name : str, unique
    text : str, a sentence
    bench : function to a Bench, from a case if there are ``cases``
    steps : int, cycles of the proof, within which covers are reached and faults break it
    faults : tuple of Fault; each must break the property
    method : Method
    cases : tuple, proof constants with a proof per entry; the first entry also serves faults and
        covers. Empty for a single proof
    """

    name:      str
    text:      str
    bench:     object
    steps:     int
    faults:    tuple
    method:    Method = Method.BOUNDED
    cases:     tuple = ()

    @property
    def reach(self):
        """Cycles for which the proof holds."""
        bounded = self.method in (Method.BOUNDED, Method.GATES)
        return plural(self.steps, "cycle") if bounded else "ever"


@dataclass(frozen=True)
class Theorem:
    """A property proved by calculation: all cases, or equations.

    Parameters
    ----------
    name : str, unique
    text : str, a sentence
    check : function to (whether the property holds, whether any case exists)
    faults : tuple of Fault; each must break the property
    """

    name:   str
    text:   str
    check:  object
    faults: tuple

    @property
    def reach(self):
        """Cycles for which the proof holds."""
        return "ever"


class Bench(Elaboratable):
    """A component with its assertions, without a reset input.

    Parameters
    ----------
    inputs : list of Signals, free in every cycle
    build : function from a Module that adds the component, ``Assume``, ``Assert`` and at least one
        ``Cover`` statement
    """

    def __init__(self, inputs, build):
        self._domain = ClockDomain("sync", reset_less=True)
        self._build  = build
        #: Ports: the clock too, which would be constant otherwise.
        self.ports = [self._domain.clk, *map(Value.cast, inputs)]

    def elaborate(self, platform):
        m = Module()
        m.domains += self._domain
        self._build(m)
        return m


def hold(m, *inputs):
    """Assume that inputs never change; returns the cycle count so far, up to 15."""
    time = Signal(4, name="time")
    m.d.sync += time.eq(Mux(time == 15, time, time + 1))
    for value in inputs:
        before = Signal.like(value, name=f"before_{value.name}")
        m.d.sync += before.eq(value)
        m.d.comb += Assume((time == 0) | (value == before))
    return time


def steady(m, *inputs):
    """Hold the inputs' values of the first cycle; returns a list of held values.

    An unrolled circuit then has a single copy of each input.
    """
    started, values = Signal(name="steady"), []
    m.d.sync += started.eq(1)
    for given in inputs:
        first = Signal.like(given, name=f"first_{given.name}")
        m.d.sync += first.eq(Mux(started, first, given))
        values.append(Mux(started, first, given))
        if first.shape().signed:
            values[-1] = values[-1].as_signed()
    return values

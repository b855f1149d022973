# SPDX-License-Identifier: Apache-2.0
"""Statements about streams: a token from any time leaves once, unchanged and in its turn."""

from amaranth import Signal, Value
from amaranth.hdl import Assert, Assume, Cover

__all__ = ["constant", "follow", "hold_payload", "offer_payload", "within"]


def constant(m, value):
    """Assume that an input never changes."""
    before, started = Signal.like(value, name=f"before_{value.name}"), Signal(
        name=f"started_{value.name}")
    m.d.sync += [before.eq(value), started.eq(1)]
    m.d.comb += Assume(~started | (value == before))


def follow(m, put, value, take, taken, *, most, arm, passes=False):
    """Assert that a queue for at most ``most`` values neither loses nor repeats nor changes a
    value.

    Parameters
    ----------
    put, take : Value, a value enters, leaves; value, taken : Value, the entering, leaving value
    most : int, most values in the queue
    arm : Signal, a free input: follow the entering value. No assertion depends on a choice, so the
        proof covers every value
    passes : bool, whether a value may leave in its first cycle

    Returns the value count inside.
    """
    level = Signal(range(most + 2), name="level")
    ahead = Signal.like(level, name="ahead")
    kept  = Signal(len(Value.cast(value)), name="kept")
    follows, left = Signal(name="follows"), Signal(name="left")
    m.d.sync += level.eq(level + put - take)
    begins = put & arm & ~follows
    leaves = take & Value.cast(follows & ~left & (ahead == 0))
    with m.If(begins):
        m.d.sync += [follows.eq(1), ahead.eq(level - take), kept.eq(value)]
    with m.Elif(take & (ahead != 0)):
        m.d.sync += ahead.eq(ahead - 1)
    with m.If(leaves):
        m.d.sync += left.eq(1)
    m.d.comb += [
        Assert(~take | (level != 0) | (put if passes else 0)), Assert(level <= most),
        Assert(~leaves | (taken == kept)), Cover(leaves & (level == most)), Cover(leaves & ~put)]
    if passes:
        at_once = begins & take & (level == 0)
        m.d.comb += Assert(~at_once | (taken == value))
        with m.If(at_once):
            m.d.sync += left.eq(1)
    return level


def hold_payload(m, port, payload=None):
    """Assert that an output stream keeps a waiting payload."""
    m.d.comb += Assert(_kept(m, port, payload))


def offer_payload(m, port, payload=None):
    """Assume that an input stream keeps a waiting payload."""
    m.d.comb += Assume(_kept(m, port, payload))


def _kept(m, port, payload):
    payload = Value.cast(port.payload if payload is None else payload)
    waits, before = Signal(name="waits"), Signal(len(payload), name="waiting")
    m.d.sync += [waits.eq(port.valid & ~port.ready), before.eq(payload)]
    return ~waits | (port.valid & (payload == before))


def within(m, cycles, condition, event):
    """Assert that ``event`` comes at the latest ``cycles`` cycles after ``condition`` has begun to
    hold without it.
    """
    waited = Signal(range(cycles + 2), name="waited")
    with m.If(~condition | event):
        m.d.sync += waited.eq(0)
    with m.Elif(waited <= cycles):
        m.d.sync += waited.eq(waited + 1)
    m.d.comb += Assert(waited <= cycles)

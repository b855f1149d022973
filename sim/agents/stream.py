# SPDX-License-Identifier: Apache-2.0
"""cocotb agents for Amaranth streams (payload, valid, ready), with random pauses."""


import cocotb
from amaranth import Shape
from amaranth.hdl import ShapeCastable
from amaranth.lib import data
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from xymac.sim.agents.seed import random_of

__all__ = ["StreamSink", "StreamSource", "decode", "encode", "start"]


def _plain(value):
    """Convert a layout constant to a dict or int list, for comparison with stimuli."""
    if not isinstance(value, data.Const):
        return int(getattr(value, "value", value))
    layout = value.shape()
    fields = {key: _plain(value[key]) for key, _ in layout}
    return list(fields.values()) if isinstance(layout, data.ArrayLayout) else fields


def encode(shape, value):
    """Pack ``value`` (an int, or a dict or sequence of values) as ``shape`` bits.

    ValueError if it does not fit: Amaranth itself would truncate it. Omitted fields are 0.
    """
    if isinstance(shape, data.Layout):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return sum(encode(shape[key].shape, item) << shape[key].offset for key, item in items)
    cast = Shape.cast(shape)
    bits = int(getattr(value, "value", value))
    low  = -(1 << cast.width - 1) if cast.signed else 0
    if not low <= bits < low + (1 << cast.width):
        raise ValueError(f"{value!r} does not fit {shape!r}")
    return bits & (1 << cast.width) - 1


def decode(shape, bits):
    """Unpack ``bits`` with ``shape`` into an int, or a dict or list of ints."""
    if isinstance(shape, ShapeCastable):
        return _plain(shape.from_bits(bits))
    cast = Shape.cast(shape)
    return bits - (1 << cast.width) if cast.signed and bits >> cast.width - 1 else bits


async def _watch(limit):
    await Timer(limit, "us")
    raise AssertionError(f"the test did not end within {limit} us")


async def start(dut, limit=10_000):
    """Start the clock, hold reset for a cycle; the test fails if it lasts over ``limit`` us."""
    dut.rst.value = 1
    cocotb.start_soon(_watch(limit))
    Clock(dut.clk, 10, unit="ns").start()
    await RisingEdge(dut.clk)
    dut.rst.value = 0


class _Agent:
    """One stream end; a ``valid`` or ``ready`` that is always high has no port."""

    def __init__(self, dut, name, shape, *, pause=0.0, seed=0):
        self.clk     = dut.clk
        self.payload = getattr(dut, f"{name}__payload")
        self.valid   = getattr(dut, f"{name}__valid", None)
        self.ready   = getattr(dut, f"{name}__ready", None)
        self._shape  = shape
        self._pause  = pause
        self._random = random_of(seed)

    def _pausing(self):
        return self._random.random() < self._pause


class StreamSource(_Agent):
    """Drives payloads, as ``encode`` takes them, and holds each until it is accepted.

    A payload without ``valid`` is noise.
    """

    def __init__(self, dut, name, shape, **options):
        super().__init__(dut, name, shape, **options)
        self._noise = random_of(len(name))
        self.payload.value = 0
        self._withdraw()

    async def send(self, payloads):
        """Send all ``payloads``; return when the last has been accepted."""
        for payload in payloads:
            while self.valid is not None and self._pausing():
                await RisingEdge(self.clk)
            self.payload.value = encode(self._shape, payload)
            if self.valid is not None:
                self.valid.value = 1
            await RisingEdge(self.clk)
            while self.ready is not None and not self.ready.value:
                await RisingEdge(self.clk)
            self._withdraw()

    def _withdraw(self):
        if self.valid is not None:
            self.valid.value = 0
            self.payload.value = self._noise.getrandbits(len(self.payload))


class StreamSink(_Agent):
    """Accepts payloads; checks that an offered payload does not change until it is accepted."""

    def __init__(self, dut, name, shape, **options):
        super().__init__(dut, name, shape, **options)
        if self.ready is not None:
            self.ready.value = 0

    async def receive(self, count):
        """Return the next ``count`` payloads, as ``decode`` gives them."""
        received, offered = [], None
        while len(received) < count:
            if self.ready is not None:
                self.ready.value = int(not self._pausing())
            await RisingEdge(self.clk)
            current = None
            if self.valid is None or self.valid.value:
                current = int(self.payload.value)
            assert offered is None or current == offered, (
                f"payload {offered:#x} was withdrawn before it was taken, now {current}")
            if current is not None and (self.ready is None or self.ready.value):
                received.append(decode(self._shape, current))
                current = None
            offered = current
        if self.ready is not None:
            self.ready.value = 0
        return received

"""Every kernel between cells in the order of the user's arrays, written and read over the bus."""

import numpy as np
import pytest

import golden
from hdl.config import SIZES
from hdl.isa import Memory
from host.lower.refuse import NoPassesError
from host.plan.plan import Plan
from host.plan.segments import run_segments
from sim.rtl.device import RtlDevice
from tests.support.layers import CALLS
from tests.support.raw_cells import read_bytes

LAYERS = [(f"{wing}-{number}-{type(layer).__name__}", layer, inputs)
          for wing, calls in CALLS.items() for number, (layer, *inputs) in enumerate(calls)]


def bytes_of(layout, device, data):
    """Bytes of the elements of ``data`` that lie from the first row of ``layout`` on."""
    words = layout.words32 if data.dtype.itemsize == 4 else (layout,)
    size  = min(data.dtype.itemsize, 2)
    return b"".join(read_bytes(device, word.row, data.size, size) for word in words)


def in_words(data, *, narrow=False):
    """Elements in C order; of those of 32 bits all upper words, then the lower ones, signed. An
    index that the layout has in 16 bits, ``narrow``, is one word."""
    if data.dtype.itemsize < 4 or narrow:
        return np.ascontiguousarray(data, np.int16 if narrow else data.dtype)
    return np.stack([data >> 16, (data & 0xFFFF) - 0x8000]).astype(np.int16)


def has_passes(config, layer, inputs):
    """Whether the layer has exact passes at all."""
    try:
        Plan(config, [layer], *inputs)
    except NoPassesError:
        return False
    return True


@pytest.fixture(scope="module")
def bus():
    with RtlDevice(SIZES["base"], backdoor=False) as device:
        yield device


@pytest.mark.parametrize(("layer", "inputs"), [call[1:] for call in LAYERS],
                         ids=[call[0] for call in LAYERS])
def test_cells_are_the_users_arrays(bus, layer, inputs):
    config = bus.config
    if not has_passes(config, layer, inputs):
        with pytest.raises(NoPassesError):
            Plan(config, [layer], *inputs, c_order=True)
        return
    plan = Plan(config, [layer], *inputs, c_order=True)
    plan.load(bus)
    for x, layout in zip(inputs, plan.sources, strict=True):
        assert layout.memory is Memory.X
        bus.write_cells(Memory.X, layout.row * config.lanes, layout.cells(x.data))
        assert bytes_of(layout, bus, x.data) == in_words(x.data).tobytes()
    for load in plan.loads:
        load.write(bus)
        with load.borrow(bus):
            run_segments(bus, load.segments).check()
    expected = golden.run(layer, *inputs).output.data
    words    = in_words(expected, narrow=expected.itemsize == 4 and plan.target.bits == 16)
    expected = expected if words.ndim > expected.ndim else words
    assert bytes_of(plan.target, bus, expected) == words.tobytes()

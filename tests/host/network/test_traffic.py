# SPDX-License-Identifier: Apache-2.0
"""Words that a host moves for one input: the values alone where the memories hold the rest."""

import pytest

from tests.host.network.test_session import relus
from tests.host.network.test_standalone import wide
from xymac.hdl.config import COMPACT, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.network.linker import compile_network
from xymac.host.network.traffic import BAUD, CLOCK, count_traffic
from xymac.host.runtime import Runtime


class CountingMachine(MachineDevice):
    """Counts cells and words of programs that a driver writes and reads."""

    cells = words = read = programs = starts = 0

    def write_cells(self, memory, start, cells):
        self.cells += len(cells)
        super().write_cells(memory, start, cells)

    def read_cells(self, memory, start, count):
        self.cells += count
        self.read  += count
        return super().read_cells(memory, start, count)

    def load_program(self, passes, first=0):
        self.words += 32 * len(passes)  # a pass takes 128 bytes of the address space
        self.programs += 1
        super().load_program(passes, first)

    def run(self, first=0, max_cycles=0):
        self.starts += 1
        return super().run(first)


@pytest.mark.parametrize("config", [TINY, COMPACT], ids=lambda config: config.name)
@pytest.mark.parametrize(("make", "least"), [
    (lambda: relus(64, 2), 32), (lambda: relus(TINY.x_bytes * 2 // 5, 3), 3276),
    (lambda: relus(TINY.x_bytes * 5 // 4, 2), 20_480), (wide, 122_880)],
    ids=["whole", "nearly", "parts", "wide"])
def test_a_run_moves_so_many_words(make, least, config):
    """At least the values and what the memories do not hold; little more, the rest of rows."""
    network = make()
    traffic = count_traffic(network, config)

    with CountingMachine(config) as device:
        runtime = Runtime(compile_network(network, config), device)
        runtime.load()
        device.cells = device.words = device.read = device.programs = device.starts = 0
        runtime.apply(*(blank.data for blank in network.inputs))

    assert traffic.words == device.cells // 2 + device.words
    assert traffic.words_out == device.read // 2
    assert (traffic.programs, traffic.starts) == (device.programs, device.starts)
    assert least <= traffic.words <= 1.05 * least
    content = traffic.as_json()
    assert content["link_seconds"] >= 40 * traffic.words / BAUD
    assert content["bus_seconds"] == traffic.bus_cycles / (1e6 * CLOCK)

"""Words that a host moves for one input: the values alone where the memories hold the rest."""

import pytest

from hdl.config import COMPACT, TINY
from host.device.device import MachineDevice
from host.network.compiler import compile_network
from host.network.driver import Driver
from host.network.traffic import count_words
from tests.host.network.test_session import relus
from tests.host.network.test_standalone import wide


class CountingMachine(MachineDevice):
    """Counts cells and words of programs that a driver writes and reads."""

    cells = words = 0

    def write_cells(self, memory, start, cells):
        self.cells += len(cells)
        super().write_cells(memory, start, cells)

    def read_cells(self, memory, start, count):
        self.cells += count
        return super().read_cells(memory, start, count)

    def load_program(self, passes, first=0):
        self.words += 32 * len(passes)  # a pass takes 128 bytes of the address space
        super().load_program(passes, first)


@pytest.mark.parametrize("config", [TINY, COMPACT], ids=lambda config: config.name)
@pytest.mark.parametrize(("make", "least"), [
    (lambda: relus(64, 2), 32), (lambda: relus(TINY.x_bytes * 2 // 5, 3), 3276),
    (lambda: relus(TINY.x_bytes * 5 // 4, 2), 20_480), (wide, 122_880)],
    ids=["whole", "nearly", "parts", "wide"])
def test_a_run_moves_so_many_words(make, least, config):
    """At least the values and what the memories do not hold; little more, the rest of rows."""
    network = make()
    words   = count_words(network, config)

    with CountingMachine(config) as device:
        driver = Driver(compile_network(network, device))
        driver.load(device)
        device.cells = device.words = 0
        driver.run(device, *(blank.data for blank in network.inputs))

    assert words == device.cells // 2 + device.words
    assert least <= words <= 1.05 * least

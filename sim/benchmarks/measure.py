# SPDX-License-Identifier: Apache-2.0
"""Speed: the fast harness relative to a bare loop, and optimised runs relative to plain runs."""

import statistics
import time

from xymac.hdl.isa import Access, Pass
from xymac.host.examples import DATA
from xymac.host.network.file import load_network
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.sim.rtl.device import PlainDevice, RtlDevice

__all__ = ["measure", "measure_run"]

_WINDOW  = 0.15  # seconds
_WINDOWS = 9
_CALL    = 10_000  # cycles per harness call
_IMAGES  = 20      # a window


def _endless(config):
    """A pass that keeps all multipliers busy for longer than any measurement."""
    last = 4 * config.x_rows - 1
    weights = Access(0, 0, config.y_rows - 1, taps=(0, 0, 1))
    return Pass(x=Access(0, 0, last, taps=(0, 0, 1)), y=weights, z=Access(0, 0, last),
                outer=(1000, 1000, 1000), taps=(16, 1, 64), last=True)


def measure(config):
    """Simulated cycles per second (through the harness, in a bare C++ loop), medians.

    Both clock the same busy core in alternating windows, so other load affects both.
    """
    with RtlDevice(config) as device:
        device.load_program([_endless(config)])
        device.start()
        calls = max(1, int(_rate(device.harness.run, _CALL, 10) * _WINDOW / _CALL))
        rates = [(_rate(device.harness.run, _CALL, calls), _rate(device.harness.spin, _CALL, calls))
                 for _ in range(_WINDOWS)]
        if device.harness.irq:
            raise RuntimeError("The measured program ended before the measurement")
    return tuple(statistics.median(column) for column in zip(*rates, strict=True))


def _rate(clock, cycles, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        clock(cycles)
    return cycles * calls / (time.perf_counter() - begin)


def measure_run(config):
    """Simulated cycles per second of processor time in ``xymac run`` on the digits: (optimised,
    plain), medians.

    The plain core is compiled without optimisations and returns its trace over the bus. Both
    alternate.
    """
    network = load_network(DATA / "digits_cnn.npz")
    images  = load_images(DATA / "digits_images.npz", network).data[:_IMAGES]
    with RtlDevice(config) as fast, PlainDevice(config) as plain:
        rates = [[_run_rate(network, images, device) for device in (fast, plain)]
                 for _ in range(_WINDOWS)]
    return tuple(statistics.median(column) for column in zip(*rates, strict=True))


def _run_rate(network, images, device):
    begin = time.process_time()
    run   = classify(network, images, device=device)
    return run.cycles / (time.process_time() - begin)

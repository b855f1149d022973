# SPDX-License-Identifier: Apache-2.0
"""Images shared by processes: the same results, errors and interrupts as in one."""

import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.support.processes import LATE, await_until, is_running, started
from tests.support.sizes import between, rarely
from xymac.hdl.config import TINY
from xymac.host.cli.main import main
from xymac.host.cli.show.report import pace
from xymac.host.device.device import DeviceError, MachineDevice, open_device
from xymac.host.errors import InputError
from xymac.host.network.file import load_network
from xymac.host.network.inference import Inference, classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.jobs import classify_with_jobs

ROOT   = Path(__file__).parents[3]
DIGITS = [str(ROOT / "host/examples/data" / name)
          for name in ("digits_cnn.npz", "digits_images.npz")]


@pytest.fixture(scope="module")
def digits():
    network = load_network(DIGITS[0])
    return network, load_images(DIGITS[1], network).data


class BrokenDevice(MachineDevice):
    """Ends as it is told to when a program runs in another process."""

    def __init__(self, config, end):
        super().__init__(config)
        self._end = end

    def run(self, first=0, max_cycles=0):
        if multiprocessing.parent_process() is not None:
            self._end()
        return super().run(first)


def refuse():
    raise InputError("The device is on fire")


def fail():
    raise KeyError("of ours")


def vanish():
    os.kill(os.getpid(), signal.SIGKILL)


def timeless(inference):
    """An Inference without what differs from run to run, its outputs as lists."""
    outputs = [[data.tolist() for data in each] for each in inference.outputs]
    return replace(inference, seconds=0, elapsed=0, jobs=1, outputs=outputs)


@pytest.mark.parametrize(("backend", "jobs"), [between("machine", 2), ("machine", 3),
                                                 ("rtl", 2)])
def test_results_are_those_of_one_process(backend, jobs, digits):
    network, images = digits
    opener = partial(open_device, backend, TINY)
    ticks  = []

    with opener() as device:
        alone  = classify(network, images[:5], device=device)
        shared = classify_with_jobs(network, images[:5], device=device, opener=opener, jobs=jobs,
                                    progress=lambda: ticks.append(1))

    assert timeless(shared) == timeless(alone)
    assert (shared.jobs, len(ticks)) == (jobs, 5)
    assert (shared.cycles > 0) == (backend == "rtl")
    assert not multiprocessing.active_children()


def test_golden_kernels_are_shared(digits):
    network, images = digits
    alone = classify(network, images[:7])

    shared = classify_with_jobs(network, images[:7], jobs=2)

    assert timeless(shared) == timeless(alone)
    assert shared.jobs == 2


def test_few_images_are_not_worth_a_process(digits):
    network, images = digits

    assert classify_with_jobs(network, images[:2]).jobs == 1


def test_many_images_are(digits, monkeypatch):
    network, images = digits
    monkeypatch.setattr("xymac.host.network.jobs.START", 0.0)
    monkeypatch.setattr("xymac.host.network.jobs.count_cores", lambda: 2)

    shared = classify_with_jobs(network, images[:5])

    assert shared.jobs == 2
    assert shared.predictions == classify(network, images[:5]).predictions


@pytest.mark.parametrize(("end", "error", "message"), [
    between(refuse, InputError, "^The device is on fire"), (fail, KeyError, "of ours"),
    (vanish, DeviceError, "^A process that classified inputs was ended from outside$")])
def test_errors_come_back(end, error, message, digits):
    network, images = digits
    opener = partial(BrokenDevice, TINY, end)

    with opener() as device, pytest.raises(error, match=message) as caught:
        classify_with_jobs(network, images[:4], device=device, opener=opener, jobs=2)

    assert end is vanish or f"in {end.__name__}\n" in str(caught.value.__cause__)
    assert not multiprocessing.active_children()


def test_the_command_line_says_how_many(capsys):
    assert main(["run", DIGITS[0], "--images", DIGITS[1], "--limit", "4", "--backend", "machine",
                 "--size", "tiny", "--jobs", "2"]) == 0

    out, error = capsys.readouterr()
    assert "Machine = golden, bit for bit: 5 of 5 layers of 4 images compared" in out
    assert error == ""


@pytest.mark.parametrize(("options", "message"), [
    (["--jobs", "0"], "argument --jobs: must be at least 1, not 0"),
    (["--jobs", "2", "--waves", "x.vcd"],
     "--jobs must be 1 where the waveforms are one file, not 2"),
    (["--jobs", "2", "--backend", "serial", "--port", "x", "--size", "tiny"],
     "--jobs must be 1 where there is one board, not 2")])
def test_refused(options, message, capsys):
    try:
        code = main(["run", DIGITS[0], *options])
    except SystemExit as stop:
        code = stop.code

    assert code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("delay", [0, *rarely(0.2, 0.5)])  # while they start, and when they run
def test_an_interrupt_ends_all_processes(delay):
    command = [sys.executable, "-m", "xymac.host.cli", "run", DIGITS[0], "--images", DIGITS[1],
               "--backend", "machine", "--size", "tiny", "--jobs", "2"]
    with started(command, cwd=ROOT) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and len(children.read_text().split()) < 3:  # one tidies up
            time.sleep(0.01)
        time.sleep(delay)
        pids = children.read_text().split()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, error = process.communicate(timeout=LATE)

    assert (process.returncode, error) == (130, "xymac: interrupted\n")
    await_until(lambda: not any(map(is_running, pids)))


def test_the_rate_of_several_processes():
    inference = Inference([0], cycles=8000, seconds=4.0, elapsed=2.0, jobs=2)

    assert pace("rtl", inference) == ("8,000 cycles in 2.00 s in 2 processes: 4,000 simulated "
                                      "cycles a second, 2,000 in each")
    assert pace("rtl", replace(inference, jobs=1)) == (
        "8,000 cycles in 4.00 s: 2,000 simulated cycles a second")

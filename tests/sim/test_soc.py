# SPDX-License-Identifier: Apache-2.0
"""VexRiscv in a LiteX system runs compiled networks on the core, the whole system in Verilator."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.support.litex import needs_litex
from tests.support.seed import random_of
from tests.support.sizes import rarely
from tests.support.tflite.states import STATES
from xymac.boards.firmware import images as firmware
from xymac.boards.firmware.flash import flash_image
from xymac.host.cli.main import main
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.load import load_model
from xymac.host.network.network import Images
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.sim.board import soc_command
from xymac.sim.board.soc import simulate_soc
from xymac.sim.rtl.harness import SimulationError

pytestmark = needs_litex

MAIN_RAM = 0x4000_0000
REQUEST  = "sL5DdSMmkekro\n"
IMAGE = re.compile(r"image (\d+): class (\d+), (\d+) cycles of the core, (\d+) in all, [\d.]+ ms, "
                   r"= golden")


@pytest.fixture(scope="module")
def digits():
    """The network of digits and its images."""
    network = load_model(soc_command._NETWORK)
    return network, load_images(soc_command._IMAGES, network)


def test_the_processor_prints_classes_of_golden(digits):
    network, images = digits
    lines = []

    run = simulate_soc(network, images.first(4), "tiny", show=lines.append)

    shown = [IMAGE.fullmatch(line) for line in lines[1:-1]]
    assert run.passed
    assert lines == run.text.splitlines()
    assert lines[0] == network.name
    assert [int(each[2]) for each in shown] == classify(network, images.first(4).data).predictions
    assert [int(each[1]) for each in shown] == [0, 1, 2, 3]
    assert all(0 < int(each[3]) < int(each[4]) < run.cycles for each in shown)
    assert re.fullmatch(r"4 images, 0 differ from golden, \d+\.\d{3} images a second", lines[-1])


@pytest.mark.parametrize("size", ["tiny", *rarely("tiny,dma=32")])
def test_states_stay_from_image_to_image(size):
    network = network_of(STATES["SVDF"](random_of(10)), "kept")
    images  = Images(np.full((3, *network.input_shape), 50, np.int8))

    assert simulate_soc(network, images, size).passed


def frames_of(program):
    """Frames of LiteX's own host side that load a program at main RAM's start, and jump to it."""
    from litex.tools import litex_term

    text, step = b"", litex_term.sfl_payload_length - 4
    for at in range(0, len(program), step):
        frame = litex_term.SFLFrame()
        frame.cmd, place = litex_term.sfl_cmd_load, MAIN_RAM + at
        frame.payload = place.to_bytes(4, "big") + program[at:at + step]
        text += frame.encode()
    frame = litex_term.SFLFrame()
    frame.cmd, frame.payload = litex_term.sfl_cmd_jump, MAIN_RAM.to_bytes(4, "big")
    return text + frame.encode()


@pytest.mark.long
def test_the_boot_program_takes_a_program_over_the_serial_line(digits):
    network, images = digits

    run = simulate_soc(network, images.first(1), "tiny", frames=frames_of, limit=50_000_000)

    assert run.passed
    assert IMAGE.search(run.text)


def test_the_boot_program_copies_a_program_out_of_the_flash(monkeypatch, capsys):
    monkeypatch.setattr(soc_command, "simulate_soc", partial(simulate_soc, limit=5_000_000))

    code = main(["simulate", "--soc", "--flash", "--limit", "1"])

    printed = capsys.readouterr().out
    assert code == 0
    assert re.search(rf"\n{REQUEST}digits_cnn\nimage 0: .*, = golden\n"
                     rf"1 image, 0 differ from golden, ", printed)


def damaged(program):
    """A flash image with a wrong bit in its last byte."""
    image = bytearray(flash_image(program))
    image[-1] ^= 0x10
    return bytes(image)


NONE, DAMAGED = "no program in the flash", "the program in the flash is damaged"
WITHOUT = {"erased": (bytes([0xFF]) * 64, NONE), "damaged": (damaged(b"a program"), DAMAGED),
           "empty": (bytes(64), NONE), "long": (((12 << 20) - 7).to_bytes(4, "little"), NONE)}


@pytest.mark.parametrize("case", ["erased", "damaged", *rarely("empty", "long")])
def test_without_a_program_in_the_flash_the_serial_line_is_asked(case, digits):
    (network, images), (content, sentence) = digits, WITHOUT[case]

    with pytest.raises(SimulationError) as error:
        simulate_soc(network, images.first(1), "tiny", flash=lambda program: content, limit=270_000)
    assert f"{REQUEST}{sentence}\n{2 * REQUEST}" in str(error.value).replace(r"\n", "\n")


@pytest.mark.long
def test_a_damaged_program_in_the_flash_is_replaced_over_the_serial_line(digits):
    network, images = digits

    run = simulate_soc(network, images.first(1), "tiny", flash=damaged, frames=frames_of, late=2,
                       limit=50_000_000)

    assert run.passed
    assert run.text.startswith(f"{REQUEST}{DAMAGED}\n{2 * REQUEST}")
    assert IMAGE.search(run.text)


@pytest.mark.long
def test_the_serial_line_comes_before_the_flash(digits):
    network, images = digits

    run = simulate_soc(network, images.first(1), "tiny", flash=flash_image, limit=50_000_000,
                       frames=lambda program: frames_of(program.replace(b"golden", b"silver")))

    assert run.passed
    assert run.text.startswith(f"{REQUEST}digits_cnn\n")
    assert ", = silver\n" in run.text


@pytest.mark.long
def test_the_core_fetches_lists_out_of_the_sdram(digits):
    network, images = digits

    run = simulate_soc(network, images.first(18), "tiny,dma=32", limit=50_000_000)

    shown = IMAGE.findall(run.text)
    times = [int(cycles) for *_, cycles in shown]
    assert run.passed
    assert [int(each[0]) for each in shown] == list(range(18))
    assert [int(each[1]) for each in shown] == classify(network, images.first(18).data).predictions
    assert all(0 < int(core) < int(cycles) for *_, core, cycles in shown)
    assert max(times) <= 17_850  # the first has cold caches; the core alone takes 15,325
    assert sum(times) <= 18 * 17_300


class Wrong(Session):
    """A golden model whose second output has one wrong bit."""

    def run(self, *inputs, number=0):
        run = super().run(*inputs, number=number)
        self.count = getattr(self, "count", 0) + 1
        if self.count != 2:
            return run
        data = run.outputs[0].data.copy()
        data.flat[3] ^= 1
        return replace(run, outputs=(replace(run.outputs[0], data=data), *run.outputs[1:]))


@pytest.mark.parametrize("size", ["tiny", *rarely("tiny,dma=32")])
def test_one_wrong_bit_is_told(size, monkeypatch, capsys):
    monkeypatch.setattr(firmware, "Session", Wrong)

    code = main(["simulate", "--soc", "--size", size, "--limit", "2"])

    printed = capsys.readouterr().out
    assert code == 1
    assert re.search(r"image 0: .*, = golden\n", printed)
    assert re.search(r"image 1: .*, differs from golden\n2 images, 1 differ from golden", printed)


def test_an_endless_program_is_told(digits):
    network, images = digits

    with pytest.raises(SimulationError, match=r"^The program of the simulated system did not end "
                                              r"within 20,000 cycles; it printed ''$"):
        simulate_soc(network, images.first(1), "tiny", limit=20_000)

# SPDX-License-Identifier: Apache-2.0
"""The program of a LiteX system with a DMA, compiled for this machine; its core is golden's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.c.test_external import CNN, sum_network
from tests.host.cli.test_run_tflite import edges
from tests.sim.test_soc import Wrong
from tests.support.c.golden_core import GoldenCore, run_beside
from tests.support.c.programs import PROGRAMS, compile_c, link_program, write_driver
from tests.support.images import images_of
from tests.support.tflite.memory import held_network, stream_network
from tests.support.tflite.wide_outputs import chosen
from xymac.boards.firmware import images
from xymac.hdl.config import find_size
from xymac.host.c.sources import DRIVER
from xymac.host.image.build import build_image
from xymac.host.image.inputs import find_loads
from xymac.host.network.inference import classify
from xymac.host.network.load import load_model
from xymac.host.network.network import Images
from xymac.host.network.tflite import network_of

FIRMWARE = Path(images.__file__).parent
SIZE     = "tiny,dma=32"
CLOCK    = "#define CONFIG_CLOCK_FREQUENCY 90000000\n"
TIMES    = "0 cycles of the core, 1000 in all, 0.011 ms"
TOTAL    = "90000.000 images a second"


def random_inputs(network, count):
    """Random Images."""
    return Images(tuple(map(np.stack, zip(*images_of(network, range(count)), strict=True))))


def build(folder, network, inputs, *, behind=False):
    """Compile the program with Images; returns its path. With ``behind`` the images lie behind the
    network in memory, as ``program.ld`` has them.
    """
    files, size = images.program_files(network, inputs, SIZE)
    headers = {name: (FIRMWARE / name).read_text()
               for name in ("console.h", "core.h", "images.h", "report.h", "run.h")}
    sources = {name: (FIRMWARE / name).read_text() for name in (
        "main.c", "report.c", "run_external.c")}
    support = {name: (PROGRAMS / name).read_text() for name in ("firmware.c", "pipe.c")}
    (folder / "generated").mkdir()
    write_driver(folder)
    for name, text in (files | headers | sources | support | {"generated/soc.h": CLOCK}).items():
        (folder / name).write_text(text)
    names   = {*files, *sources, *support, *DRIVER} - {"images.c"}
    options = [f"-DOUTPUT_BYTES={size}", "-DONE_IMAGE", *["-DXYMAC_IN_ARRAY"] * behind]
    return link_program(folder, [
        *(compile_c(folder / name, folder, *options) for name in sorted(names)
          if name.endswith(".c")),
        compile_c(folder / "images.c", folder, *options, *["-Dconst="] * behind)])


@pytest.mark.parametrize("model", [
    edges(), replace(edges(), outputs=(1, 3)), stream_network(),
    replace(held_network(), outputs=(3,)), None],
    ids=["float", "float and int8", "variables", "state in floating point", "index"])
def test_outputs_equal_those_of_golden(model, tmp_path):
    """With floating point, and with outputs that are no arrays in the image."""
    network = replace(chosen(), name="net") if model is None else network_of(model, "net")
    inputs  = random_inputs(network, 3)
    core    = GoldenCore(find_size(SIZE))

    code, out = run_beside(core, build(tmp_path, network, inputs), interrupt=True)

    assert code == 0
    assert out.decode() == "\n".join([
        "net", *(f"image {number}: class {highest}, {TIMES}, = golden"
                 for number, highest in enumerate(classify(network, inputs.data).predictions)),
        f"3 images, 0 differ from golden, {TOTAL}", "\x040"])
    assert core.lists[1] == core.lists[2] == core.lists[3] != core.lists[0]


@pytest.mark.parametrize("model", [stream_network(), sum_network(), "digits"],
                         ids=["variables", "two inputs", "digits"])
def test_images_behind_the_network_are_not_copied(model, tmp_path, monkeypatch):
    network = load_model(CNN) if model == "digits" else network_of(model, "net")
    inputs  = random_inputs(network, 3)
    made    = []
    monkeypatch.setattr(images, "build_image", lambda *arguments, **options: made.append(
        build_image(*arguments, **options)) or made[0])
    program = build(tmp_path, network, inputs, behind=True)
    [image] = made
    core    = GoldenCore(find_size(SIZE), image.content.copy())

    code, out = run_beside(core, program)

    assert code == 0
    assert f"3 images, 0 differ from golden, {TOTAL}" in out.decode()
    size = image.content.size
    if find_loads(image, 0):
        assert core.windows[0] == size < core.windows[1] < core.windows[2] < core.windows[3]
    else:
        assert core.windows == [size] * 4


def test_lines_come_for_all_images_of_more_than_a_round(tmp_path):
    network = network_of(stream_network(), "net")

    code, out = run_beside(GoldenCore(find_size(SIZE)), build(
        tmp_path, network, random_inputs(network, 18)))

    *lines, total, _ = out.decode().splitlines()[1:]
    assert code == 0
    assert [line.partition(":")[0] for line in lines] == [f"image {n}" for n in range(18)]
    assert total == f"18 images, 0 differ from golden, {TOTAL}"


def test_one_wrong_bit_is_told(tmp_path, monkeypatch):
    """In an output other than the last."""
    network = network_of(replace(edges(), outputs=(1, 3)), "net")
    monkeypatch.setattr(images, "Session", Wrong)

    code, out = run_beside(GoldenCore(find_size(SIZE)), build(
        tmp_path, network, random_inputs(network, 2)))

    _, first, second, total, end = out.decode().split("\n")
    assert code == 0
    assert first.endswith(f"{TIMES}, = golden")
    assert second.endswith(f"{TIMES}, differs from golden")
    assert (total, end) == (f"2 images, 1 differ from golden, {TOTAL}", "\x041")


@pytest.mark.parametrize("which", ["load", "run"])
def test_a_failing_command_is_told(which, tmp_path, monkeypatch):
    def build_wrong(*arguments, **options):
        image   = build_image(*arguments, **options)
        content = image.content.copy()
        content[getattr(image, which).offset + 32] = 0xFF
        return replace(image, content=content)

    network = network_of(edges(), "net")
    monkeypatch.setattr(images, "build_image", build_wrong)
    core = GoldenCore(find_size(SIZE))

    code, out = run_beside(core, build(tmp_path, network, random_inputs(network, 1)))

    assert code == 0
    assert out.decode() == "net\n" * (which == "run") + (
        f"a command list stopped with a fault, command 1 of the list at byte {core.lists[-1]}: the "
        f"format does not allow the command\n\x041")

# SPDX-License-Identifier: Apache-2.0
"""Images in C: their places, commands that fail, other cores."""

import re
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from tests.host.c.conftest import CNN
from tests.host.cli.test_run_tflite import edges
from tests.support.c.external import CONFIG, GOLDEN, build, image_for, write_image
from tests.support.c.golden_core import ADDRESS, GoldenCore, run_beside
from tests.support.c.programs import PROGRAMS, compile_c, link_program, run_program, write_driver
from tests.support.tflite.memory import stream_network
from xymac.hdl.config import CORES, TINY, change_size
from xymac.hdl.isa import Opcode
from xymac.host.c.network import image_files
from xymac.host.c.sources import DRIVER
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.image.places import ElementPlace
from xymac.host.network.tflite import network_of

FAULT = "a command list stopped with a fault\ncommand 0 of the list at byte LOAD: "


def test_bytes_that_are_linked(cnn, tmp_path):
    network, image = cnn
    write_image(tmp_path, network, image)
    (tmp_path / "image.bin").write_bytes(image.content.tobytes())
    subprocess.run(["ld", "-r", "-b", "binary", "image.bin", "-o", "image.o"], cwd=tmp_path,
                   check=True)
    options = ["-DXYMAC_CONTENT=_binary_image_bin_start"]

    program = build(tmp_path, *options, links=[tmp_path / "image.o"])

    assert run_beside(GoldenCore(CONFIG), program)[1].decode().endswith(GOLDEN)


def test_an_image_in_place(cnn, tmp_path):
    """At an address that processor and core share."""
    network, image = cnn
    write_image(tmp_path, network, image)
    core = GoldenCore(CONFIG, image.content.copy())

    program = build(tmp_path, "-DXYMAC_IN_PLACE", f"-DXYMAC_MEMORY={ADDRESS:#x}")

    assert run_beside(core, program)[1].decode().endswith(GOLDEN)
    assert core.flushed == 64 + 4  # the input, and where the core finds it


def test_states_of_an_image_in_place_begin_anew(tmp_path):
    """With states of a program that has ended in memory."""
    network = network_of(stream_network(), "1stream")
    image   = image_for(network)
    write_image(tmp_path, network, image)
    content = image.content.copy()
    for number in image.executable.states:
        place = image.places[number]
        content[place.offset:place.offset + place.bytes] = 99

    program = build(tmp_path, "-DXYMAC_IN_PLACE", f"-DXYMAC_MEMORY={ADDRESS:#x}")

    assert run_beside(GoldenCore(CONFIG, content), program)[1].decode().endswith(GOLDEN)


def test_in_place_without_a_place(cnn, tmp_path):
    write_image(tmp_path, *cnn)
    with pytest.raises(AssertionError, match="XYMAC_IN_PLACE needs XYMAC_MEMORY"):
        compile_c(tmp_path / "network.c", tmp_path, "-DXYMAC_IN_PLACE")


@pytest.mark.parametrize("which", ["load", "run"])
def test_the_failing_command_has_a_name(cnn, which, tmp_path):
    network, image = cnn
    commands = getattr(image, which)
    content  = image.content.copy()
    content[commands.offset + 32] = 0xFF
    write_image(tmp_path, network, replace(image, content=content))

    code, out = run_beside(GoldenCore(CONFIG), build(tmp_path))

    assert code == 2
    assert out.decode() == (
        "digits_cnn: a command list stopped with a fault\n"
        f"command 1 of the list at byte {commands.offset}: the format does not allow the command\n")


def test_the_failing_pass_has_a_name(cnn, tmp_path):
    """A command that runs a program which no list has loaded."""
    network, image = cnn
    content = image.content.copy()
    index   = next(index for index, each in enumerate(image.run.commands)
                   if each.opcode is Opcode.RUN)
    place   = image.run.offset + 32 * index
    command = replace(image.run.commands[index], offset=CONFIG.passes - 1)
    content[place:place + 32] = np.array(command.encode(), "<u4").view(np.uint8)
    write_image(tmp_path, network, replace(image, content=content))

    code, out = run_beside(GoldenCore(CONFIG), build(tmp_path))

    assert code == 2
    assert out.decode().splitlines() == [
        "digits_cnn: a command list stopped with a fault",
        f"command {index} of the list at byte {image.run.offset}: a program ended in a fault",
        f"pass {CONFIG.passes - 1}: the core does not have the operation, heap or table of a pass"]


@pytest.mark.parametrize(("options", "sentence"), [
    ({"ends": False},
     "the program did not end\ncommand 1 of the list at byte LOAD: the list was stopped"),
    ({"address": 0}, "the image does not lie at a multiple of 64 bytes within 4 GiB"),
    ({"address": 0x20}, "the image does not lie at a multiple of 64 bytes within 4 GiB")])
def test_lists_that_do_not_run(cnn, options, sentence, tmp_path):
    write_image(tmp_path, *cnn)
    sentence = sentence.replace("LOAD", str(cnn[1].load.offset))

    assert run_beside(GoldenCore(CONFIG, **options), build(tmp_path)) == (
        2, f"digits_cnn: {sentence}\n".encode())


@pytest.mark.parametrize("config", [TINY, change_size(TINY, dma=64)], ids=["none", "64 bits"])
def test_a_core_with_another_dma(cnn, config, tmp_path):
    write_image(tmp_path, *cnn)

    assert run_beside(GoldenCore(config), build(tmp_path)) == (
        2, b"digits_cnn: the core has no DMA of this width\n")


def test_a_core_of_another_size(cnn, tmp_path):
    write_image(tmp_path, *cnn)

    code, out = run_beside(GoldenCore(change_size(CORES["small"], dma=32)), build(tmp_path))

    assert code == 2
    assert out == b"digits_cnn: the network is compiled for another size of the core\n"


def test_the_driver_on_lists(tmp_path):
    write_driver(tmp_path)
    (tmp_path / "lists.c").write_text((PROGRAMS / "lists.c").read_text())
    program = link_program(tmp_path, [compile_c(tmp_path / name, tmp_path) for name in (
        "lists.c", *(name for name in DRIVER if name.endswith(".c")))])

    code, out = run_program(program)

    place = "the image does not lie at a multiple of 64 bytes within 4 GiB"
    width = "the core has no DMA of this width"
    cells = "the core does not have so many cells, passes or entries"
    assert code == 0
    assert out.decode().splitlines() == [
        f"no DMA: {width}", f"image, no DMA: {width}", f"image, other DMA: {width}",
        f"image without an address: {place}", f"address: {place}", f"end: {place}",
        "last address: no error", f"list beyond: {cells}", f"list: {cells}",
        "program: a program is running", "other list: a program is running",
        "finish: a program is running", "wait: the program did not end",
        "then: a command list stopped with a fault",
        "1 stop, list 32, command 3, the list was stopped, unknown status",
        "no result: a command list stopped with a fault"]


@pytest.mark.parametrize("x", [np.nan, 1e30])
def test_floating_point_that_no_element_stands_for(x, tmp_path):
    network = network_of(edges(), "1edges")
    write_image(tmp_path, network, image_for(network))
    program = build(tmp_path, "-DEXTERNAL", "-DNETWORK=net_1edges", main="stream.c")
    core    = GoldenCore(CONFIG)

    assert run_beside(core, program, given=np.full(7, x, np.float32).tobytes()) == (2, b"")
    assert len(core.lists) == 1


def test_sanitizers(tmp_path):
    network = network_of(stream_network(), "1stream")
    write_image(tmp_path, network, image_for(network))
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

    code, out = run_beside(GoldenCore(CONFIG), build(tmp_path, *options, links=options))

    assert code == 0
    assert out.decode().endswith(GOLDEN)


def test_c_plus_plus_takes_it_too(tmp_path):
    network = network_of(edges(), "x-y */ %s")
    write_image(tmp_path, network, image_for(network))
    for name in ("network.c", "main.c"):
        compile_c(tmp_path / name, tmp_path, cpp=True)
        compile_c(tmp_path / name, tmp_path, "-DXYMAC_BASE=0x40000000", "-DXYMAC_MEMORY=0x80000000")


def test_values_that_the_driver_does_not_move(cnn):
    _, image = cnn
    number = image.executable.outputs[0]
    wide   = ElementPlace.in_order(np.zeros((1, 10), np.int32), CONFIG.lanes)

    with pytest.raises(InputError, match=r"must have 8 or 16 bits, not 32$"):
        image_files(replace(image, places=image.places | {number: wide}), (), ())


def test_a_folder_in_place_of_a_file(tmp_path, capsys):
    (tmp_path / "main.c").mkdir()

    assert main(["compile", str(CNN), "-o", str(tmp_path), "--dma", "32", "--c"]) == 2
    assert capsys.readouterr().err == (
        f"xymac compile: Cannot write {tmp_path / 'main.c'}: it is a folder\n")
    assert not (tmp_path / "image.bin").exists()


def test_a_wrong_constant_is_noticed(cnn, tmp_path):
    """``main`` compares with golden."""
    network, image = cnn
    write_image(tmp_path, network, image)
    text, changes = re.subn(r"(expected0\[10\] = {\s+)-?\d+", r"\g<1>-100",
                            (tmp_path / "main.c").read_text())
    (tmp_path / "main.c").write_text(text)

    code, out = run_beside(GoldenCore(CONFIG), build(tmp_path))

    assert (code, changes) == (1, 1)
    assert out.decode().endswith("outputs differ from the golden model\n")

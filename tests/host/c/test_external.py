# SPDX-License-Identifier: Apache-2.0
"""Images in C: command lists of the golden machine, with a cache before its memory."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.c.test_network import assert_golden, images_of, reversed_bytes
from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import relus, short_network
from tests.support.c.golden_core import ADDRESS, GoldenCore, run_beside
from tests.support.c.programs import (
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
    write_driver,
)
from tests.support.images import SHORT, with_dma
from tests.support.seed import random_of
from tests.support.tflite.memory import byte_network, stream_network
from tests.support.tflite.states import STATES
from xymac.hdl.config import CORES, TINY, change_size
from xymac.hdl.isa import Opcode
from xymac.host.c.network import image_files
from xymac.host.c.sources import DRIVER
from xymac.host.cli.dma import make_image
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.image.places import ElementPlace
from xymac.host.network.load import load_model
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
CNN      = EXAMPLES / "digits_cnn.tflite"
CONFIG   = change_size(TINY, dma=32)
GOLDEN   = "outputs = golden, bit for bit\n"


def write_image(folder, network, image, example=None):
    """Write an image and the driver as C."""
    [example] = [example] if example else images_of(network, [1])
    outputs   = [each.data for each in Session(network).run(*example).outputs]
    for name, text in image_files(image, example, outputs).items():
        (folder / name).write_text(text)
    write_driver(folder)


def build(folder, *options, main="main.c", objects=()):
    """Compile the files in a folder and ``pipe.c``; returns the program."""
    for name in {main, "pipe.c"} - {"main.c"}:
        (folder / name).write_text((PROGRAMS / name).read_text())
    names = ("network.c", main, "pipe.c", *(name for name in DRIVER if name.endswith(".c")))
    return link_program(folder, [*objects, *(
        compile_c(folder / name, folder, *options) for name in names)])


def run_in_c(folder, network, images, *arguments, config=CONFIG):
    """Outputs of a network that C runs on inputs one after the other, and the GoldenCore."""
    write_image(folder, network, make_image(network, config, SHORT))
    name    = (folder / "network.h").read_text().partition("extern const xymac_external ")[2]
    program = build(folder, "-DEXTERNAL", f"-DNETWORK={name.partition(';')[0]}", main="stream.c")
    core    = GoldenCore(config)
    code, out = run_beside(core, program, *arguments,
                           given=b"".join(x.tobytes() for image in images for x in image))
    assert code == 0
    outputs = [network.values[number].data for number in network.outputs]
    kind    = np.dtype([(str(index), each.dtype, each.shape)
                        for index, each in enumerate(outputs)])
    return [list(row) for row in np.frombuffer(out, kind)], core


@pytest.fixture
def cnn():
    """A network and its Image."""
    network = load_model(CNN)
    return network, make_image(network, CONFIG, SHORT)


@pytest.mark.parametrize("interrupt", [False, True], ids=["polls", "interrupt"])
@pytest.mark.parametrize("size", ["tiny", "base"])
def test_command(size, interrupt, tmp_path, capsys):
    assert main(["compile", str(CNN), "-o", str(tmp_path), "--dma", "32", "--c", "--size", size,
                 "--example", str(EXAMPLES / "digits_pixels.npz")]) == 0
    assert "image.bin, image.json, network.h, network.c, main.c" in capsys.readouterr().out
    write_driver(tmp_path)
    core = GoldenCore(change_size(CORES[size], dma=32))

    code, out = run_beside(core, build(tmp_path), interrupt=interrupt)

    assert code == 0
    assert out.decode().startswith("shares:")
    assert out.decode().endswith(GOLDEN)
    assert len(core.lists) == 2
    assert core.read == 10


@pytest.mark.parametrize("interrupt", [False, True], ids=["polls", "interrupt"])
def test_hardware(cnn, interrupt, tmp_path):
    """Without a cache, so without functions of one."""
    write_image(tmp_path, *cnn)
    program = link_with_core(with_dma(TINY), tmp_path, *(
        compile_c(tmp_path / name, tmp_path) for name in ("network.c", "main.c")))

    code, out = run_program(program, interrupt=interrupt)

    assert code == 0
    assert re.search(rf"\n[1-9]\d+ cycles, {GOLDEN}$", out.decode())


@pytest.mark.parametrize("network", [
    reversed_bytes,
    lambda: network_of(replace(short_network(), outputs=(3, 7)), "1two"),
    lambda: network_of(replace(short_network(), outputs=(7, 0, 7)), "1same"),
    lambda: network_of(edges(), "1edges"),
    lambda: network_of(replace(edges(), outputs=(1, 3)), "1edges"),
    lambda: network_of(stream_network(), "values"),
    lambda: network_of(byte_network(same=False), "1unsigned"),
    lambda: replace(relus(TINY.x_bytes * 5 // 4, 2), name="1tiles"),
    lambda: load_model(EXAMPLES / "digits_lstm_fx16.npz"),
    lambda: load_model(EXAMPLES / "digits_sa8.npz"),
    lambda: network_of(STATES["SVDF"](random_of(3)), "1svdf"),
    lambda: network_of(STATES["UNIDIRECTIONAL_SEQUENCE_LSTM"](random_of(3)), "1lstm")], ids=[
        "bytes", "two outputs", "outputs that are the same", "float", "float and int8",
        "variables", "uint8", "tiles", "fx16", "sa8", "svdf", "lstm"])
def test_all_that_a_network_can_have(network, tmp_path):
    network = network()

    images  = images_of(network, range(3 if network.has_states else 2))
    outputs, core = run_in_c(tmp_path, network, images)

    assert_golden(network, images, outputs)
    assert len(core.lists) == 1 + len(images)


def test_states_begin_anew_after_a_reset(tmp_path):
    network = network_of(stream_network(), "1stream")
    images  = images_of(network, [1, 2, 1])

    outputs, _ = run_in_c(tmp_path, network, images, "reset")

    assert network.has_states
    assert_golden(network, images, outputs, reset_states=True)


def test_the_processor_moves_inputs_and_outputs_alone(tmp_path):
    """Of an image that is flushed once."""
    network = load_model(CNN)
    images  = images_of(network, range(3))

    _, core = run_in_c(tmp_path, network, images)

    assert core.flushed == make_image(network, CONFIG, SHORT).content.size + 3 * 64
    assert core.read == 3 * 10


def test_bytes_that_are_linked(cnn, tmp_path):
    network, image = cnn
    write_image(tmp_path, network, image)
    (tmp_path / "image.bin").write_bytes(image.content.tobytes())
    subprocess.run(["ld", "-r", "-b", "binary", "image.bin", "-o", "image.o"], cwd=tmp_path,
                   check=True)
    options = ["-DXYMAC_CONTENT=_binary_image_bin_start"]

    program = build(tmp_path, *options, objects=[tmp_path / "image.o"])

    assert run_beside(GoldenCore(CONFIG), program)[1].decode().endswith(GOLDEN)


def test_an_image_in_place(cnn, tmp_path):
    """At an address that processor and core share."""
    network, image = cnn
    write_image(tmp_path, network, image)
    core = GoldenCore(CONFIG, image.content.copy())

    program = build(tmp_path, "-DXYMAC_IN_PLACE", f"-DXYMAC_MEMORY={ADDRESS:#x}")

    assert run_beside(core, program)[1].decode().endswith(GOLDEN)
    assert core.flushed == 64


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
    ({"ends": False}, "the program did not end"),
    ({"address": 0}, "the image does not lie at a multiple of 64 bytes within 4 GiB"),
    ({"address": 0x20}, "the image does not lie at a multiple of 64 bytes within 4 GiB")])
def test_lists_that_do_not_run(cnn, options, sentence, tmp_path):
    write_image(tmp_path, *cnn)

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
    write_image(tmp_path, network, make_image(network, CONFIG, SHORT))
    program = build(tmp_path, "-DEXTERNAL", "-DNETWORK=net_1edges", main="stream.c")
    core    = GoldenCore(CONFIG)

    assert run_beside(core, program, given=np.full(7, x, np.float32).tobytes()) == (2, b"")
    assert len(core.lists) == 1


def test_c_plus_plus_takes_it_too(tmp_path):
    network = network_of(edges(), "x-y */ %s")
    write_image(tmp_path, network, make_image(network, CONFIG, SHORT))
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

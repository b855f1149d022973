# SPDX-License-Identifier: Apache-2.0
"""A network in the ROM of a bus master gives the outputs of the network, state by state."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import relus, short_network
from tests.support.fake.core import FakeCore
from tests.support.seed import random_of
from tests.support.soc.master import MasterError, RomMaster, array_at
from tests.support.tflite.memory import byte_network, stream_network
from tests.support.tflite.reals import real_network
from tests.support.tflite.states import STATES
from xymac.golden.tflm import FullyConnected, Quantisation, Tensor
from xymac.hdl.config import BASE, COMPACT, SMALL, TINY
from xymac.hdl.isa import Memory
from xymac.host.cli.main import main
from xymac.host.device.device import DeviceError
from xymac.host.errors import InputError
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.network import Network
from xymac.host.network.rom import RomDevice
from xymac.host.network.session import Session
from xymac.host.network.standalone import make_standalone
from xymac.host.network.tflite import network_of
from xymac.host.plan.graph import Node

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
CNN      = EXAMPLES / "digits_cnn.tflite"


def wide():
    """A network whose input X does not hold."""
    kind    = Quantisation((0.5,), (3,))
    weights = Tensor(random_of(1).integers(-127, 128, (3, 6 * TINY.x_bytes), np.int8),
                     Quantisation((0.0078125,), (0,)))
    return Network("wide", (Node(FullyConnected(weights, None, kind), (0,), "y"),),
                   (Tensor.zeros((1, 6 * TINY.x_bytes), np.int8, kind),))


@pytest.mark.parametrize(("network", "config"), [
    *((lambda name=name: load_model(EXAMPLES / name), config) for name, config in (
        ("digits_cnn.npz", TINY), ("digits_cnn.npz", BASE), ("digits_cnn.tflite", SMALL),
        ("digits_cnn.npz", COMPACT), ("digits_lstm_fx16.npz", TINY),
        ("digits_lstm_fx8w16d.npz", BASE), ("digits_sa8.npz", TINY), ("digits_xs3.npz", SMALL))),
    (lambda: network_of(replace(short_network(), outputs=(3, 7)), "two"), TINY),
    (lambda: network_of(STATES["SVDF"](random_of(3)), "kept"), BASE),
    (lambda: network_of(stream_network(), "stream"), TINY),
    (lambda: relus(TINY.x_bytes * 2 // 5, 3), TINY),
    (lambda: relus(TINY.x_bytes * 5 // 4, 2), TINY), (wide, TINY)], ids=[
        "cnn", "cnn base", "tflite", "cnn compact", "lstm", "lstm base", "sa8", "xs3",
        "two outputs", "states", "variables", "overwritten", "tiles", "part by part"])
def test_outputs_are_those_of_the_network(network, config):
    network = network()
    [*inputs] = random_images(network, 1).data[:1]
    session = Session(network)

    master = RomMaster(make_standalone(compile_network(network, config), inputs),
                       FakeCore(config, busy=0))

    for _ in range(2):  # with the states of the first one
        for wanted, data in zip(session.run(*inputs).outputs, master.run(), strict=True):
            np.testing.assert_array_equal(data, wanted.data)


def test_uint8_lies_as_it_is():
    """The core has it less 128."""
    network  = network_of(byte_network(same=False), "bytes")
    x        = random_of(5).integers(0, 256, (1, 2, 3, 2), np.uint8)
    made     = make_standalone(compile_network(network, TINY), [x])
    outputs  = RomMaster(made, FakeCore(TINY, busy=0)).run()

    for wanted, data in zip(Session(network).run(x).outputs, outputs, strict=True):
        np.testing.assert_array_equal(data, wanted.data, strict=True)
    assert {entry["type"] for entry in made.description["outputs"]} == {"uint8", "int8"}


def test_the_core_of_another_size_is_refused():
    compiled = compile_network(network_of(short_network(), "short"), TINY)
    made     = make_standalone(compiled, [np.zeros((1, 9), np.int8)])

    with pytest.raises(MasterError, match="word 0x8 is 0x4002"):
        RomMaster(made, FakeCore(SMALL))


def test_floating_point_at_the_edges_is_refused():
    compiled = compile_network(network_of(edges(), "real"), TINY)

    with pytest.raises(InputError, match=r"^real has inputs or outputs in floating point, which "):
        make_standalone(compiled, [np.zeros((1, 7), np.float32)])


def test_a_layer_of_the_host_is_refused():
    network  = network_of(real_network(random_of(4), "EXP"), "reals")
    compiled = compile_network(network, TINY)

    with pytest.raises(InputError, match=r"^reals has a layer \w+ that the host computes, which "):
        make_standalone(compiled, [blank.data for blank in network.inputs])


def test_a_list_of_instructions_has_nothing_to_read():
    with pytest.raises(DeviceError, match="nothing to read"):
        RomDevice(TINY, 0).finish()


@pytest.mark.parametrize(("words", "names"), [
    ([5] * 8, ["FILL 8"]), ([5] * 7, ["WRITE 7"]), ([1, 2, *[3] * 9, 4], ["WRITE 2", "FILL 9",
                                                                          "WRITE 1"]),
    ([1, *[2] * 8], ["WRITE 1", "FILL 8"])])
def test_equal_words_are_one_instruction(words, names):
    device = RomDevice(TINY, 0)

    device._write_words(0x100000, np.array(words, np.uint32))

    assert [re.match(r"\w+ \d+", what)[0] for _, what in device.instructions] == names


@pytest.mark.parametrize(("start", "count", "strobes"), [
    (0, 2, [0xF]), (1, 1, [0xC]), (0, 1, [0x3]), (1, 4, [0xC, 0xF, 0x3])])
def test_half_a_word_has_a_strobe(start, count, strobes):
    device = RomDevice(TINY, 0)

    device.write_cells(Memory.X, start, np.arange(1, count + 1))

    assert [words[0] >> 24 & 0xF for words, _ in device.instructions] == strobes


def test_the_command_writes_what_a_simulator_reads(tmp_path, capsys):
    path, images = tmp_path / "net", EXAMPLES / "digits_pixels.npz"

    assert main(["compile", str(CNN), "-o", str(path), "--size", "tiny", "--rom", "--images",
                 str(images)]) == 0

    standalone = make_standalone(compile_network(load_model(CNN), TINY),
                                 [np.load(images)["images"][:1].reshape(1, 8, 8, 1)])
    content = json.loads((path / "memory.json").read_text())
    for name, expected in (("rom", [word for words, _ in standalone.rom for word in words]),
                           ("ram", standalone.ram.tolist())):
        text = re.sub("//.*", "", (path / f"{name}.hex").read_text())
        assert [int(word, 16) for word in text.split()] == expected
        assert content[f"{name}_words"] == len(expected)
    assert content == standalone.description
    assert array_at(standalone.ram.view(np.uint8), content["inputs"][0]).any()
    assert f"ROM of {content['rom_words']:,} words" in (shown := capsys.readouterr().out)
    assert "(ROM_BITS 13 or more), RAM of 26 words (RAM_BITS 5 or more)" in shown


@pytest.mark.parametrize(("arguments", "message"), [
    (["--images", "x.npy"], "xymac compile: --images needs --rom\n"),
    (["--rom", "--images", "gone.npy"], "xymac compile: There is no file gone.npy\n")])
def test_refused_options(arguments, message, tmp_path, capsys):
    assert main(["compile", str(CNN), "-o", str(tmp_path / "net"), *arguments]) == 2
    assert capsys.readouterr().err == message
    assert not [*tmp_path.iterdir()]

# SPDX-License-Identifier: Apache-2.0
"""Images in C: command lists of the golden machine, with a cache before its memory."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.host.c.test_network import NETWORKS, assert_golden, reversed_bytes
from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import relus, short_network
from tests.support.c.external import CONFIG, GOLDEN, build, image_for, run_in_c, write_image
from tests.support.c.golden_core import GoldenCore, run_beside
from tests.support.c.programs import (
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
    write_driver,
)
from tests.support.images import images_of, with_dma
from tests.support.seed import random_of
from tests.support.tflite.list_ends import LIST_ENDS
from tests.support.tflite.memory import byte_network, held_network, stream_network
from tests.support.tflite.networks import value
from tests.support.tflite.states import STATES
from xymac.hdl.config import CORES, TINY, change_size
from xymac.host.c.sources import DRIVER
from xymac.host.cli.main import main
from xymac.host.network.load import load_model
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
CNN      = EXAMPLES / "digits_cnn.tflite"

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


@pytest.mark.parametrize(("name", "interrupt"), [
    ("cnn.tflite", False), ("cnn.tflite", True), *(
        pytest.param(name, False, marks=pytest.mark.long) for name in NETWORKS)])
def test_hardware(name, interrupt, tmp_path):
    """Without a cache, so without functions of one."""
    network = load_model(EXAMPLES / f"digits_{name}")
    write_image(tmp_path, network, image_for(network))
    program = link_with_core(with_dma(TINY), tmp_path, *(
        compile_c(tmp_path / name, tmp_path) for name in ("network.c", "main.c")))

    code, out = run_program(program, interrupt=interrupt)

    assert code == 0
    assert re.search(rf"\n[1-9]\d+ cycles, {GOLDEN}$", out.decode())


def sum_network():
    """Model of a sum of an int8 and a floating-point input."""
    kind    = {"scale": 0.25, "zero_point": -2}
    tensors = (value("a", (1, 6), **kind), value("b", (1, 6), TENSOR_TYPE.FLOAT32),
               value("c", (1, 6), **kind), value("y", (1, 6), scale=0.5))
    return Model(tensors, (Operator("QUANTIZE", (1,), (2,)), Operator(
        "ADD", (0, 2), (3,), options.AddOptions())), (0, 1), (3,))


@pytest.mark.parametrize("network", [
    reversed_bytes,
    lambda: network_of(replace(short_network(), outputs=(3, 7)), "1two"),
    lambda: network_of(replace(short_network(), outputs=(7, 0, 7)), "1same"),
    lambda: network_of(edges(), "1edges"),
    lambda: network_of(replace(edges(), outputs=(1, 3)), "1edges"),
    lambda: network_of(stream_network(), "values"),
    lambda: network_of(replace(held_network(), outputs=(3,)), "1held"),
    lambda: network_of(sum_network(), "1sum"),
    lambda: network_of(byte_network(same=False), "1unsigned"),
    lambda: replace(relus(TINY.x_bytes * 5 // 4, 2), name="1tiles"),
    lambda: load_model(EXAMPLES / "digits_lstm_fx16.npz"),
    lambda: load_model(EXAMPLES / "digits_sa8.npz"),
    lambda: network_of(STATES["SVDF"](random_of(3)), "1svdf"),
    lambda: network_of(STATES["UNIDIRECTIONAL_SEQUENCE_LSTM"](random_of(3)), "1lstm")], ids=[
        "bytes", "two outputs", "outputs that are the same", "float", "float and int8",
        "variables", "state in floating point", "two inputs", "uint8", "tiles", "fx16", "sa8",
        "svdf", "lstm"])
def test_all_that_a_network_can_have(network, tmp_path):
    check_runs(network(), tmp_path)


@pytest.mark.parametrize("name", LIST_ENDS)
def test_variables_and_copies_at_the_ends(name, tmp_path):
    network = network_of(LIST_ENDS[name](), "1ends")
    check_runs(network, tmp_path)


def test_a_network_that_the_processor_runs_alone(tmp_path):
    """Its image holds no value."""
    tensors = value("x", (3, 1), TENSOR_TYPE.FLOAT32), value("y", (3, 1), scale=0.25)
    model   = Model(tensors, (Operator("QUANTIZE", (0,), (1,)),), (0,), (1,))
    check_runs(network_of(model, "1alone"), tmp_path)


def test_a_state_of_the_processor_begins_anew(tmp_path):
    network = network_of(LIST_ENDS["output into state"](), "1ends")
    images  = images_of(network, [1, 2, 1])

    outputs, _ = run_in_c(tmp_path, network, images, "reset")

    assert_golden(network, images, outputs, reset_states=True)


def check_runs(network, folder):
    """Outputs of runs one after the other are golden's."""
    images  = images_of(network, range(3 if network.has_states else 2))
    outputs, core = run_in_c(folder, network, images)

    assert_golden(network, images, outputs)
    assert len(core.lists) == 1 + len(images)


TURNS = """
#include <string.h>
#include "first/network.h"
#include "second/network.h"
int xymac_bus_open(xymac_core *core);
static int8_t input[4], output[4];
static float before[4];
int main(void)
{
    xymac_core core;
    int turn;
    if (xymac_bus_open(&core) || xymac_open(&core) != XYMAC_OK)
        return 2;
    for (turn = 0; turn < 2; turn++) {
        memset(input, 7, sizeof input);
        if (xymac_external_load(&core, &net_1held, NULL) != XYMAC_OK
            || net_1held_run(&core, input, before, output, NULL) != XYMAC_OK
            || memcmp(input, output, sizeof input) || before[3] != 0.5f)
            return 3;
        memset(input, 8, sizeof input);
        if (xymac_external_load(&core, &net_2held, NULL) != XYMAC_OK
            || net_2held_run(&core, input, before, output, NULL) != XYMAC_OK
            || memcmp(input, output, sizeof input)
            || net_2held_run(&core, input, before, output, NULL) != XYMAC_OK || before[3] != 2.5f)
            return 4;
    }
    return 0;
}
"""


def test_two_images_take_turns(tmp_path):
    """States begin anew with each load."""
    write_driver(tmp_path)
    for name, title in (("first", "1held"), ("second", "2held")):
        (tmp_path / name).mkdir()
        network = network_of(held_network(), title)
        write_image(tmp_path / name, network, image_for(network))
    for name, text in (("turns.c", TURNS), ("pipe.c", (PROGRAMS / "pipe.c").read_text())):
        (tmp_path / name).write_text(text)
    program = link_program(tmp_path, [compile_c(tmp_path / name, tmp_path) for name in (
        "first/network.c", "second/network.c", "turns.c", "pipe.c",
        *(name for name in DRIVER if name.endswith(".c")))])
    core = GoldenCore(CONFIG)

    assert run_beside(core, program) == (0, b"")
    assert len(core.lists) == 10


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

    assert core.flushed == image_for(network).content.size + 3 * 64
    assert core.read == 3 * 10

# SPDX-License-Identifier: Apache-2.0
"""Compiled networks give the outputs of the network, from their two files alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.host.lower.recurrent.test_mli1 import cell, sequence
from tests.host.network.test_session import relus, short_network
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.tflite.kept import input_of, random_lstm, random_svdf
from tests.support.tflite.states import STATES
from xymac.golden.mli1 import LstmCell, RnnMode
from xymac.golden.tflm import FullyConnected, Quantisation, Tensor
from xymac.golden.xs3 import Integers, Lookup8
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Region
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.executable.steps import TAKE, Host, Start, Write
from xymac.host.network.compiled import ARRAYS, DESCRIPTION, load_compiled, save_compiled
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.network import Network, join_layers
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.plan.graph import Node
from xymac.host.runtime import Runtime
from xymac.host.tflite.writer import write_model

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"


def driven(folder, network, config):
    """Outputs of three random inputs: compiled, saved, loaded, run in a memory full of noise."""
    save_compiled(folder, compile_network(network, config))
    images = [random_images(network, seed).data[0] for seed in range(3)]
    with MachineDevice(config) as device:
        fill(device, seed=1)
        runtime = Runtime(load_compiled(folder), device)
        runtime.load()
        outputs = [runtime.apply(x)[0] for x in images]
    return images, outputs


@pytest.mark.parametrize(("network", "config"), [
    (lambda: load_model(EXAMPLES / "digits_cnn.npz"), TINY),
    (lambda: load_model(EXAMPLES / "digits_lstm_fx8.npz"), BASE),
    (lambda: load_model(EXAMPLES / "digits_sa8.npz"), TINY),
    (lambda: load_model(EXAMPLES / "digits_xs3.npz"), TINY),
    (lambda: join_layers("bytes", Integers.zeros((40,), np.uint8),
                         (Lookup8(Integers(np.arange(256, dtype=np.uint8)[::-1].copy())),)), BASE),
    (lambda: network_of(short_network(), "short"), BASE),
    (lambda: network_of(replace(short_network(), outputs=(3, 7)), "two"), TINY),
    (lambda: network_of(edges(), "edges"), TINY),
    (lambda: relus(TINY.x_bytes * 2 // 5, 3), TINY),
    (lambda: relus(TINY.x_bytes * 5 // 4, 2), TINY)], ids=[
        "cnn", "lstm", "sa8", "xs3", "bytes", "tflite", "two outputs", "floating point",
        "overwritten", "tiles"])
def test_outputs_are_those_of_the_network(network, config, tmp_path):
    network = network()

    images, outputs = driven(tmp_path / "net", network, config)

    session = Session(network)
    for x, actual in zip(images, outputs, strict=True):
        for wanted, data in zip(session.run(x).outputs, actual, strict=True):
            np.testing.assert_array_equal(data, wanted.data)


def test_the_core_in_simulation_is_driven(rtl, tmp_path):
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    x       = random_images(network, 1).data[0]
    save_compiled(tmp_path / "net", compile_network(network, TINY))
    runtime = Runtime(load_compiled(tmp_path / "net"), rtl("tiny"))

    runtime.load()
    [output], run = runtime.apply(x)

    np.testing.assert_array_equal(output, Session(network).run(x).outputs[0].data)
    assert run.cycles > 0


def test_a_driver_needs_the_files_alone(tmp_path):
    """The input by hand: its bytes go to the places that the description names, some to several.
    """
    network = load_model(EXAMPLES / "digits_cnn.npz")
    save_compiled(tmp_path / "net", compile_network(network, BASE))
    description = json.loads((tmp_path / "net" / DESCRIPTION).read_text())
    arrays  = np.load(tmp_path / "net" / ARRAYS)
    [write] = [step for step in description["run"] if step["do"] == "write"]
    data    = random_of(1).integers(-128, 128, network.input_shape, np.int8)

    content = np.zeros(2 * write["cells"], np.uint8)
    takes   = arrays[write["takes"]]
    written = np.where(takes < 0, write["fill"], data.ravel()[takes]).astype(np.int8)
    content[arrays[write["places"]]] = written.view(np.uint8)

    layout = Session(network, MachineDevice(BASE)).plan.source
    np.testing.assert_array_equal(content.view(np.uint16), layout.cells(data))
    assert write["first"] == layout.row * layout.row_cells
    assert description["values"]["0"] == {
        "shape": [1, 8, 8], "type": "int8", "frac_bits": 4}


@pytest.mark.parametrize("name", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_states_stay_from_input_to_input(name, tmp_path):
    network = network_of(STATES[name](random_of(3)), "kept")

    images, outputs = driven(tmp_path / "net", network, BASE)

    session = Session(network)
    for x, actual in zip(images, outputs, strict=True):
        np.testing.assert_array_equal(actual[0], session.run(x).outputs[0].data)


@pytest.mark.parametrize(("layer", "shape"), [
    (random_lstm(1, 2, 600, 5), (2, 15, 600)), (random_lstm(2, 200, 20, 6), (200, 2, 20)),
    (random_svdf(3, 2, 9, 90, 2, 70), (2, 9))])
def test_states_go_from_tile_to_tile_and_stay_from_input_to_input(layer, shape, tmp_path):
    network = Network("kept", (Node(layer, (0,), "y"),), (input_of(1, *shape),))

    images, outputs = driven(tmp_path / "net", network, TINY)

    steps = load_compiled(tmp_path / "net").run
    assert sum(isinstance(step, Start) for step in steps) > 1
    session = Session(network)
    for x, actual in zip(images, outputs, strict=True):
        np.testing.assert_array_equal(actual[0], session.run(x).outputs[0].data)


def test_states_among_the_constants_are_compiled(tmp_path):
    network = join_layers("cell", sequence(31, 300), (
        cell(LstmCell, 300, 5, RnnMode.BATCH_TO_BATCH),))

    images, outputs = driven(tmp_path / "net", network, TINY)

    steps = load_compiled(tmp_path / "net").run
    assert TAKE in [step.kernel for step in steps if isinstance(step, Host)]
    for x, actual in zip(images, outputs, strict=True):
        np.testing.assert_array_equal(actual[0], Session(network).run(x).outputs[0].data)


def test_inputs_part_by_part_are_compiled(tmp_path):
    kind    = Quantisation((0.5,), (3,))
    size    = 6 * TINY.x_bytes
    weights = Tensor(random_of(1).integers(-127, 128, (3, size), np.int8),
                     Quantisation((0.0078125,), (0,)))
    network = Network("wide", (Node(FullyConnected(weights, None, kind), (0,), "y"),),
                      (Tensor.zeros((1, size), np.int8, kind),))

    images, outputs = driven(tmp_path / "net", network, TINY)

    steps = load_compiled(tmp_path / "net").run
    assert sum(isinstance(step, Write) for step in steps) > 1
    for x, actual in zip(images, outputs, strict=True):
        np.testing.assert_array_equal(actual[0], Session(network).run(x).outputs[0].data)


@pytest.fixture
def folder(tmp_path):
    """A compiled network, and its file."""
    path = tmp_path / "short.tflite"
    path.write_bytes(write_model(short_network()))
    assert main(["compile", str(path), "-o", str(tmp_path / "net"), "--size", "tiny"]) == 0
    return tmp_path / "net"


def test_the_commands_write_and_run(folder, tmp_path, capsys):
    path, out, report = str(tmp_path / "short.tflite"), tmp_path / "o.npy", tmp_path / "o.json"

    code = main(["run", str(folder), "--backend", "machine", "--golden", path, "--outputs",
                 str(out), "--json", str(report)])

    shown = capsys.readouterr().out
    assert code == 0
    assert "Outputs = golden, bit for bit: 1 image compared" in shown
    assert np.load(out).shape == (1, 27)
    assert json.loads(report.read_text())["equal"] is True
    assert main(["run", str(folder), "--backend", "machine"]) == 0
    assert "Not compared with golden (see --golden)" in capsys.readouterr().out


def test_a_difference_is_code_1(folder, tmp_path, capsys):
    executable  = load_compiled(folder)
    [first, *_] = [step for step in executable.load if step.region is Region.Y]
    spoilt = {first.array: executable.arrays[first.array] ^ np.uint16(0x101)}
    save_compiled(folder, replace(executable, arrays=executable.arrays | spoilt))

    assert main(["run", str(folder), "--backend", "machine", "--golden",
                 str(tmp_path / "short.tflite")]) == 1
    assert "Differs from golden first at image 0, output flat, element (0, " in (
        capsys.readouterr().out)


def test_the_command_says_what_there_is(tmp_path, capsys):
    assert main(["compile", str(EXAMPLES / "digits_cnn.npz"), "-o", str(tmp_path / "net"),
                 "--size", "tiny"]) == 0

    out = capsys.readouterr().out
    assert "digits_cnn: 5 layers, size tiny: 1 program of 6 passes, " in out
    assert "network.json, network.npz" in out


def test_half_of_a_network_is_not_overwritten(folder, tmp_path, capsys):
    (folder / ARRAYS).unlink()

    assert main(["compile", str(tmp_path / "short.tflite"), "-o", str(folder)]) == 2
    assert "it holds network.json alone" in capsys.readouterr().err


def test_a_whole_network_is_overwritten(folder, tmp_path, capsys):
    assert main(["compile", str(tmp_path / "short.tflite"), "-o", str(folder), "--size",
                 "small"]) == 0
    assert load_compiled(folder).size == "small"
    assert sorted(path.name for path in folder.iterdir()) == [DESCRIPTION, ARRAYS]


def fail(path):
    raise InputError("the disk is full")


def test_a_failure_leaves_nothing(tmp_path, capsys, monkeypatch):
    path = tmp_path / "int32.tflite"
    path.write_bytes(write_model(STATES["QUANTIZE of float"](random_of(1))))
    monkeypatch.setattr("xymac.host.network.compiled._digest", fail)

    assert main(["compile", str(path), "-o", str(tmp_path / "net")]) == 2
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--size", "base"], "is compiled for size tiny, not base"),
    (["--backend", "golden"], "A compiled network needs a device, not the backend golden"),
    (["--markdown"], "--markdown needs a network file: "),
    (["--golden", "gone.tflite"], "There is no file gone.tflite"),
    (["--images", "gone.npy"], "There is no file gone.npy")])
def test_refused_options(arguments, message, folder, capsys):
    if "--backend" not in arguments:
        arguments = [*arguments, "--backend", "machine"]

    assert main(["run", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err


def change_text(folder, change):
    path    = folder / DESCRIPTION
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(("spoil", "message"), [
    (lambda folder: (folder / DESCRIPTION).unlink(), "holds no network.json: it is no compiled"),
    (lambda folder: (folder / ARRAYS).unlink(), "There is no file "),
    (lambda folder: (folder / DESCRIPTION).write_text("{"), "network.json is not valid JSON: "),
    (lambda folder: (folder / DESCRIPTION).write_text("[]"), "network.json must have format 3, "),
    (lambda folder: change_text(folder, lambda text: text.update(format=2)),
     "network.json must have format 3, not 2: compile the network again with this version of "),
    (lambda folder: np.savez(folder / ARRAYS, x=np.zeros(3)), "is not the file that "),
    (lambda folder: (folder / ARRAYS).write_bytes(b"PK"), "damaged or not an .npz file"),
    (lambda folder: change_text(folder, lambda text: text.pop("values")),
     "The compiled network: 'values'"),
    (lambda folder: change_text(folder, lambda text: text["run"].append({"do": "fly"})),
     "The compiled network: a step must be load, write, start, read or host, not 'fly'"),
    (lambda folder: change_text(folder, lambda text: text["run"][0].update(first=1 << 30)),
     "The compiled network: Cells of X must lie between"),
    (lambda folder: change_text(folder, lambda text: text.update(size="huge")),
     "Size must be tiny, ")])
def test_damaged_folders_are_one_sentence(spoil, message, folder, capsys):
    spoil(folder)

    assert main(["run", str(folder), "--backend", "machine"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1

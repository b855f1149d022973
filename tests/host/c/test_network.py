# SPDX-License-Identifier: Apache-2.0
"""Compiled networks in C give golden's outputs on the core behind its AXI4-Lite port."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import relus, short_network
from tests.support.c.programs import (
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
    write_driver,
)
from tests.support.images import images_of
from tests.support.seed import random_of
from tests.support.tflite.memory import byte_network, stream_network
from tests.support.tflite.networks import value
from tests.support.tflite.states import STATES
from xymac.golden.tflm import FullyConnected, Quantisation, Tensor
from xymac.golden.xs3 import Integers, Lookup8
from xymac.hdl.config import BASE, CORES, TINY
from xymac.hdl.isa import COUNTERS, Flag, Memory, State, Status
from xymac.host.c.network import network_files
from xymac.host.c.sources import DRIVER
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice, RunResult
from xymac.host.errors import InputError
from xymac.host.executable.steps import Write
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.network import Network, join_layers
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.plan.graph import Node
from xymac.host.runtime import Runtime
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
NETWORKS = ("cnn.npz", "cnn.tflite", "lstm_fx16.npz", "lstm_fx8.npz", "lstm_fx8w16d.npz",
            "pool.npz", "sa8.npz", "xs3.npz")
STREAM   = PROGRAMS / "stream.c"
#: The compact core has no passes for a softmax of TensorFlow Lite.
SHIPPED  = [pytest.param(name, size, marks=[pytest.mark.long] * (size != "tiny"))
            for name in NETWORKS for size in CORES if (name, size) != ("cnn.tflite", "compact")]


@pytest.mark.parametrize(("name", "size"), SHIPPED)
def test_every_network_that_is_shipped(name, size, tmp_path, capsys):
    assert main(["compile", str(EXAMPLES / f"digits_{name}"), "-o", str(tmp_path), "--c",
                 "--size", size]) == 0
    write_driver(tmp_path)
    program = link_with_core(CORES[size], tmp_path, *(
        compile_c(tmp_path / each, tmp_path) for each in ("network.c", "main.c")))

    code, out = run_program(program, interrupt=True)

    assert code == 0
    assert out.decode().endswith("outputs = golden, bit for bit\n")
    assert "network.h, network.c, main.c" in capsys.readouterr().out


def write_network(folder, network, config):
    """Write a network and the driver as C."""
    example = next(each_input(random_images(network, 1).data))
    compiled = compile_network(network, config)
    outputs = [each.data for each in Session(network).run(*example).outputs]
    for name, text in network_files(compiled, example, outputs).items():
        (folder / name).write_text(text)
    write_driver(folder)


def run_in_c(folder, network, images, *arguments):
    """Outputs of a network that C runs on inputs one after the other."""
    write_network(folder, network, TINY)
    (folder / "stream.c").write_text(STREAM.read_text())
    program = link_with_core(TINY, folder, compile_c(folder / "network.c", folder), compile_c(
        folder / "stream.c", folder, f"-DNETWORK=net_{network.name}"))
    code, out = run_program(program, *arguments,
                            given=b"".join(x.tobytes() for image in images for x in image))
    assert code == 0
    outputs, place = [], 0
    for _ in images:
        outputs.append([])
        for number in network.outputs:
            blank = network.values[number].data
            outputs[-1].append(np.frombuffer(out, blank.dtype, blank.size, place).reshape(
                blank.shape))
            place += blank.nbytes
    assert place == len(out)
    return outputs


def assert_golden(network, images, outputs, **options):
    """Outputs of a network are those of golden."""
    session = Session(network, **options)
    for image, actual in zip(images, outputs, strict=True):
        for wanted, data in zip(session.run(*image).outputs, actual, strict=True):
            np.testing.assert_array_equal(data, wanted.data)


def wide_dense():
    """A layer whose input and weights neither memory holds at once."""
    size    = 3 * TINY.x_bytes // 2
    kind    = Quantisation((0.5,), (3,))
    weights = Tensor(random_of(1).integers(-127, 128, (3, size), np.int8),
                     Quantisation((0.0078125,), (0,)))
    return Network("1wide", (Node(FullyConnected(weights, None, kind), (0,), "y"),),
                   (Tensor.zeros((1, size), np.int8, kind),))


def reversed_bytes():
    table = Integers(np.arange(256, dtype=np.uint8)[::-1].copy())
    return join_layers("1bytes", Integers.zeros((40,), np.uint8), (Lookup8(table),))


def wide_integers(step, scale):
    """Inputs of 32 bits, in steps of ``step``, to steps of ``scale``."""
    scale   = float(np.float32(scale))
    tensors = (value("wide", (1, 50), TENSOR_TYPE.INT32, step, 7),
               value("x", (1, 50), scale=scale, zero_point=-5),
               value("y", (1, 50), scale=scale, zero_point=-5))
    return network_of(Model(tensors, (Operator("QUANTIZE", (0,), (1,)), Operator(
        "RELU", (1,), (2,))), (0,), (1, 2)), "1integers")


@pytest.mark.parametrize("network", [
    reversed_bytes, wide_dense,
    lambda: network_of(replace(short_network(), outputs=(3, 7)), "1two"),
    lambda: network_of(replace(short_network(), outputs=(7, 0, 7)), "1same"),
    lambda: network_of(edges(), "1edges"),
    lambda: network_of(stream_network(), "1stream"),
    lambda: network_of(byte_network(same=False), "1unsigned"),
    lambda: replace(relus(TINY.x_bytes * 5 // 4, 2), name="1tiles"),
    lambda: network_of(STATES["SVDF"](random_of(3)), "1svdf"),
    lambda: network_of(STATES["UNIDIRECTIONAL_SEQUENCE_LSTM"](random_of(3)), "1lstm")], ids=[
        "bytes", "part by part", "two outputs", "outputs that are the same", "float", "variables",
        "uint8", "tiles", "svdf", "lstm"])
def test_all_that_a_network_can_have(network, tmp_path):
    network = network()

    images  = images_of(network, range(3 if network.has_states else 1))

    assert_golden(network, images, run_in_c(tmp_path, network, images))


@pytest.mark.parametrize(("exponent", "scale"), [
    (-31, 0.3), (-12, 0.3), (-12, 0.25), (-2, 0.3), (0, 0.25), (5, 0.3), (20, 0.3)])
def test_32_bits_are_rounded_twice(exponent, scale, tmp_path):
    """Extremes, and what lies around them and around halves."""
    network = wide_integers(2.0**exponent, scale)
    centre  = np.array([-1 << 31, (1 << 31) - 1, 7, 1 << 30, *range(-20, 21, 2),
                        *range(7 - 5120, 7 + 5120, 512)])
    x       = np.resize((centre[:, None] + np.arange(-2, 3)).clip(-1 << 31, (1 << 31) - 1), 250)
    images  = [(each[None].astype(np.int32),) for each in x.reshape(5, 50)]

    assert_golden(network, images, run_in_c(tmp_path, network, images))


def test_floating_point_is_rounded_and_limited(tmp_path):
    """Steps of 0.5 around 3: every half, and what lies just beyond the limits."""
    network = network_of(replace(edges(), outputs=(1, 3)), "1edges")
    x       = np.resize(np.arange(-68, 68, 0.125, np.float32), 1092).reshape(-1, 1, 7)

    images = [(each,) for each in x]

    assert_golden(network, images, run_in_c(tmp_path, network, images))


def test_states_begin_anew_after_a_reset(tmp_path):
    network = network_of(STATES["SVDF"](random_of(3)), "1svdf")

    images  = images_of(network, [1, 2, 1])

    outputs = run_in_c(tmp_path, network, images, "reset")

    assert_golden(network, images, outputs, reset_states=True)
    assert network.has_states


def test_counters_are_those_of_all_programs(rtl, tmp_path):
    network = replace(relus(TINY.x_bytes * 5 // 4, 2), name="1tiles")
    [image] = images_of(network, [1])
    write_network(tmp_path, network, TINY)
    program = link_with_core(TINY, tmp_path, *(
        compile_c(tmp_path / name, tmp_path) for name in ("network.c", "main.c")))
    runtime = Runtime(compile_network(network, TINY), rtl("tiny"))

    runtime.load()
    _, run = runtime.apply(*image)

    assert f"\n{run.cycles} cycles, " in run_program(program)[1].decode()


@pytest.mark.parametrize("x", [np.nan, 1e30, -np.inf])
def test_floating_point_that_no_element_stands_for(x, tmp_path):
    network = network_of(edges(), "1edges")
    write_network(tmp_path, network, TINY)
    (tmp_path / "stream.c").write_text(STREAM.read_text())
    program = link_with_core(TINY, tmp_path, *(
        compile_c(tmp_path / name, tmp_path, "-DNETWORK=net_1edges")
        for name in ("network.c", "stream.c")))

    assert run_program(program, given=np.full(7, x, np.float32).tobytes()) == (2, b"")


def test_a_wrong_constant_is_noticed(tmp_path):
    """``main`` compares with golden."""
    write_network(tmp_path, replace(relus(40, 1), name="1short"), TINY)
    text, changes = re.subn(r"(expected0\[40\] = {\s+)-?\d+", r"\g<1>-100",
                            (tmp_path / "main.c").read_text())
    (tmp_path / "main.c").write_text(text)
    program = link_with_core(TINY, tmp_path, *(
        compile_c(tmp_path / each, tmp_path) for each in ("network.c", "main.c")))

    code, out = run_program(program)

    assert (code, changes) == (1, 1)
    assert out.decode().endswith("outputs differ from the golden model\n")


def test_c_plus_plus_takes_it_too(tmp_path):
    write_network(tmp_path, network_of(edges(), "x-y */ %s"), TINY)
    for name in ("network.c", "main.c"):
        compile_c(tmp_path / name, tmp_path, cpp=True)
        compile_c(tmp_path / name, tmp_path, "-DXYMAC_BASE=0x40000000")


def test_an_output_that_nothing_makes(tmp_path):
    network = network_of(short_network(), "short")
    compiled = compile_network(network, TINY)
    number   = max(compiled.values) + 1
    compiled = replace(compiled, outputs=(*compiled.outputs, number),
                       output_names=(*compiled.output_names, "c"),
                       values=compiled.values | {number: compiled.inputs[0]})

    with pytest.raises(InputError, match=r"^The output c of short is a constant$"):
        network_files(compiled, (), ())


class _Cells(MachineDevice):
    """Runs nothing."""

    def run(self, *_, **__):
        return RunResult(State.DONE, Status.OK, 0, 0, Flag(0), dict.fromkeys(COUNTERS, 0), [])


def test_windows_are_written_as_the_driver_does(tmp_path):
    """An image that lies as windows, whose border is not 0: in X of the size base."""
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    [x]     = images_of(network, [1])[0]
    write_network(tmp_path, network, BASE)
    with _Cells(BASE) as device:
        compiled = compile_network(network, BASE)
        runtime  = Runtime(compiled, device)
        runtime.load()
        runtime.apply(x)
        expected = device.read_cells(Memory.X, 0, BASE.x_bytes // 2)
    assert any(step.layout.fill for step in compiled.run if isinstance(step, Write))
    (tmp_path / "memory.c").write_text((PROGRAMS / "memory.c").read_text())
    program = link_program(tmp_path, [compile_c(
        tmp_path / name, tmp_path, "-DNETWORK=digits_cnn", f"-DINPUT_COUNT={x.size}",
        "-DOUTPUT_COUNT=10", f"-DX_WORDS={BASE.x_bytes // 4}u") for name in (
            "memory.c", "network.c", *(name for name in DRIVER if name.endswith(".c")))])

    code, out = run_program(program, given=x.tobytes())

    assert code == 0
    np.testing.assert_array_equal(np.frombuffer(out, np.uint16), expected)

# SPDX-License-Identifier: Apache-2.0
"""Variables, uint8 and copies at the edges of networks: what tflite-micro computes, everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.memory import byte_network, shape_network, stream_network
from tests.support.tflite.micro import open_file
from tests.support.tflite.networks import value
from tests.support.tflite.picks import condition_network, repeat_network
from tests.support.tflite.reals import REALS, moved_reals, real_network
from tests.support.tflite.zeros import ZEROS
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.runtime import Runtime
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import TYPES, Model, Operator, Tensor
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.samples.variables import variable_model
from xymac.host.tflite.samples.wish import Wish
from xymac.host.tflite.writer import write_model

NETWORKS = {"stream": stream_network(), "zeros": stream_network(begins=False),
            "bytes": byte_network(), "scaled bytes": byte_network(same=False),
            "shape": shape_network(), "conditions": condition_network(),
            "repeated": repeat_network()}


def inputs_of(model, count=4):
    """Arrays (count, *shape) of the only input."""
    tensor = model.tensors[model.inputs[0]]
    limits = np.iinfo(TYPES[tensor.type])
    return random_of(count).integers(limits.min, limits.max, (count, *tensor.shape),
                                     TYPES[tensor.type], endpoint=True)


def outputs_of(model, data):
    """What tflite-micro computes of inputs one after the other."""
    run = open_file(write_model(model))
    return [run(each) for each in data]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("size", [None, TINY, BASE, COMPACT])
def test_networks_are_those_of_tflite_micro(name, size):
    model  = read_model(write_model(NETWORKS[name]))
    assert model == NETWORKS[name]
    data   = inputs_of(model)
    device = None if size is None else MachineDevice(size)
    session = Session(network_of(model, name), device)

    for x, expected in zip(data, outputs_of(model, data), strict=True):
        run = session.run(x)
        assert run.difference is None
        for wanted, output in zip(expected, run.outputs, strict=True):
            assert output.data.dtype == wanted.dtype
            np.testing.assert_array_equal(output.data, wanted)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_in_rtl(name, device):
    model   = NETWORKS[name]
    session = Session(network_of(model, name), device)

    for x, expected in zip(data := inputs_of(model), outputs_of(model, data), strict=True):
        run = session.run(x)
        assert run.difference is None
        assert [each.data.tolist() for each in run.outputs] == [
            each.tolist() for each in expected]


@pytest.mark.parametrize("name", NETWORKS)
def test_compiled_networks(name):
    model, data = NETWORKS[name], inputs_of(NETWORKS[name])
    with MachineDevice(TINY) as device:
        runtime = Runtime(compile_network(network_of(model, name), device.config), device)
        runtime.load()
        for x, expected in zip(data, outputs_of(model, data), strict=True):
            outputs, _ = runtime.apply(x)
            assert [each.tolist() for each in outputs] == [each.tolist() for each in expected]
        outputs, _ = runtime.apply(data[0], reset_states=True)

    assert outputs[0].tolist() == outputs_of(model, data[:1])[0][0].tolist()


@pytest.mark.parametrize("reset", [False, True])
def test_variables_stay_from_input_to_input(reset, tmp_path):
    model = stream_network()
    data  = inputs_of(model)
    np.save(tmp_path / "x.npy", data)
    (tmp_path / "net.tflite").write_bytes(write_model(model))

    assert main(["run", str(tmp_path / "net.tflite"), "--images", str(tmp_path / "x.npy"),
                 "--backend", "golden", "--outputs", str(tmp_path / "y.npz"),
                 *["--reset-states"] * reset]) == 0

    expected = ([outputs_of(model, [x])[0] for x in data] if reset else outputs_of(model, data))
    with np.load(tmp_path / "y.npz") as file:
        assert file["y"].reshape(-1).tolist() == np.ravel([each[0] for each in expected]).tolist()


def test_the_run_says_where_uint8_is_int8(tmp_path, capsys):
    (tmp_path / "net.tflite").write_bytes(write_model(byte_network()))

    assert main(["run", str(tmp_path / "net.tflite"), "--backend", "machine", "--size", "tiny",
                 "--markdown"]) == 0

    rows = [line for line in capsys.readouterr().out.splitlines() if "uint8 less 128" in line]
    assert [row.split("|")[2].strip() for row in rows] == ["QUANTIZE", "QUANTIZE", "RESHAPE"]
    assert all("renamed" in row for row in rows)


@pytest.mark.parametrize(("kind", "zero"), [
    ("INT8", -12), ("INT16", -12), ("INT16", 0), ("INT16", 300), ("UINT8", 200), ("INT32", 5)])
def test_variables_begin_with_bytes_of_the_zero_point(kind, zero):
    x      = value("x", (2, 3), TENSOR_TYPE[kind], 0.5, zero)
    handle = Tensor("v", (), TENSOR_TYPE.RESOURCE)
    model  = Model((x, handle, replace(x, name="y")), (
        Operator("VAR_HANDLE", (), (1,), options.VarHandleOptions("", "v")),
        Operator("READ_VARIABLE", (1,), (2,)), Operator("ASSIGN_VARIABLE", (1, 0), ())), (0,), (2,))
    data   = inputs_of(model, 2)
    session = Session(network_of(model, "begins"))

    for each, expected in zip(data, outputs_of(model, data), strict=True):
        assert [y.data.tolist() for y in session.run(each).outputs] == [
            y.tolist() for y in expected]


def test_variables_that_are_of_two_minds():
    model = stream_network()
    first = model.others[0]
    wrong = type(first)((*first.tensors[:2], *(type(each)(
        each.name, (2,), each.type, each.scales, each.zero_points, 0, np.int8([1, 2]))
        for each in first.tensors[2:])), first.operators, (), ())

    with pytest.raises(InputError, match=r"^The variable that tensor 3 \('old'\) reads must be "
                                         r"int8 of shape \(2,\), as at first, not int8 of "
                                         r"shape \(1, 2, 1, 3\)$"):
        network_of(type(model)(model.tensors, model.operators, model.inputs, model.outputs,
                               others=(wrong,)), "wrong")


@pytest.mark.parametrize("begins", [False, True])
def test_variables_of_two_types(begins):
    model = variable_model(Wish(TENSOR_TYPE.INT8, TENSOR_TYPE.UINT8, flag=not begins))

    with pytest.raises(InputError, match=r"must be int8 of shape .*, as at first, not uint8 of"):
        network_of(model, "wrong")


def check_zeros(name, count, size):
    """Random networks of an operator: how many of them a core computes."""
    taken = 0
    for key in range(count):
        model = ZEROS[name](random_of((key, *name.encode())))
        data  = inputs_of(model, 2)
        for device in (None, MachineDevice(size)):
            try:
                session = Session(network_of(model, name), device)
            except InputError:
                if device is None:
                    raise
                continue
            taken += device is not None
            for x, [expected] in zip(data, outputs_of(model, data), strict=True):
                run = session.run(x)
                assert run.difference is None, (name, key)
                assert run.outputs[0].data.tolist() == expected.tolist(), (name, key)
    return taken


@pytest.mark.parametrize("name", ZEROS)
def test_zero_points_and_scales_that_are_rare(name):
    assert check_zeros(name, 8, TINY) >= 1


@pytest.mark.long
@pytest.mark.parametrize("name", ZEROS)
def test_many_zero_points_and_scales_that_are_rare(name):
    assert check_zeros(name, 200, BASE) >= 50


def check_reals(name, count):
    """Random networks of float32 around a RELU, on golden, the golden machine and by a driver."""
    for key in range(count):
        rng   = random_of((key, *name.encode()))
        model = real_network(rng, name)
        x     = (rng.normal(size=model.tensors[0].shape) * 4).astype(np.float32)
        [expected] = outputs_of(model, [x])
        network = network_of(read_model(write_model(model)), name)
        with MachineDevice(TINY) as device:
            session = Session(network, device)
            runtime = Runtime(compile_network(network, device.config), device)
            assert [facts.host for facts in session.facts] == [True, True, False] + [True] * 3
            for outputs in ([each.data for each in Session(network).run(x).outputs],
                            [each.data for each in session.run(x).outputs],
                            runtime.apply(x)[0]):
                for wanted, output in zip(expected, outputs, strict=True):
                    np.testing.assert_array_equal(output, wanted, strict=True, err_msg=str(key))


@pytest.mark.parametrize("name", REALS)
def test_floating_point_at_the_edges(name):
    check_reals(name, 10)


@pytest.mark.long
@pytest.mark.parametrize("name", REALS)
def test_much_floating_point_at_the_edges(name):
    check_reals(name, 100)


def test_moves_of_floating_point():
    model = moved_reals()
    x     = random_of(3).normal(size=model.tensors[0].shape).astype(np.float32)

    with MachineDevice(TINY) as device:
        run = Session(network_of(model, "moved"), device).run(x)

    for output, expected in zip(run.outputs, open_file(write_model(model))(x), strict=True):
        assert output.data.tobytes() == expected.tobytes()

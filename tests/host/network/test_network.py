# SPDX-License-Identifier: Apache-2.0
"""Network and image files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import (
    Act,
    AvePool,
    BasicRnnCell,
    Concat,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LeakyRelu,
    MaxPool,
    Padding2d,
    Permute,
    Rectify,
    Relu,
    Sigmoid,
    Softmax,
    Subtensor,
    Tanh,
    Tensor,
)
from xymac.hdl.isa import RoundMode
from xymac.host.device.device import MachineDevice
from xymac.host.files.arrays import save_arrays
from xymac.host.network.file import load_network, save_network
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.network import join_layers


def small_network():
    """Every kernel and every kind of parameter."""
    rng = random_of(1)

    def tensor(*shape):
        return Tensor(rng.integers(-128, 128, shape, np.int8), 7)

    conv = Conv2d(tensor(4, 2, 3, 3), tensor(4), 5, stride=(2, 1), pad=(1, 0, 2, 1),
                  relu=Relu.RELU6, rounding=RoundMode.UP)
    depthwise = DepthwiseConv2d(tensor(4, 1, 1, 2), tensor(4), 4, relu=Relu.GEN)
    pointwise = Conv2d(tensor(3, 1, 1, 4), tensor(3), 6, layout=Layout.CHW)
    pointwise = replace(pointwise, weights=tensor(3, 4, 1, 1))
    dense = FullyConnected(tensor(5, 3 * 2 * 5), tensor(5), 2, rounding=RoundMode.UP)
    return join_layers("small", Tensor.zeros((2, 5, 5), 8, 7), (conv, depthwise, pointwise, dense))


def rewrite(path, change):
    """Apply ``change`` to description and arrays of the network file ``path``."""
    with np.load(path) as file:
        arrays = dict(file)
    description = json.loads(str(arrays["network"]))
    change(description, arrays)
    save_arrays(path, arrays | {"network": np.array(json.dumps(description))})


def test_round_trip(tmp_path):
    network = small_network()

    save_network(tmp_path / "small.npz", network)
    loaded = load_network(tmp_path / "small.npz")

    assert loaded == network


def branches():
    """Every kernel that the small network lacks, values with several readers, names."""
    rng = random_of(2)

    def tensor(*shape):
        return Tensor(rng.integers(-128, 128, shape, np.int8), 7)

    layers = {
        "pool": (MaxPool((2, 2), (1, 1), (1, 0, 0, 1)), ["input"]),
        "mean": (AvePool((2, 2), (1, 1), (0, 1, 1, 0), rounding=RoundMode.UP), ["input"]),
        "2": (Rectify(Relu.RELU1), ["mean"]),
        "leaky": (LeakyRelu(tensor(1)), ["pool"]),
        "both": (Concat(0), ["2", "leaky"]),
        "5": (Permute((1, 2, 0)), ["both"]),
        "6": (Padding2d((0, 1, 1, 0), Layout.HWC), ["5"]),
        "part": (Subtensor((1, 2), 2), ["6"]),
        "8": (Tanh(), ["part"]),
        "sigm": (Sigmoid(RoundMode.UP), ["part"]),
        "product": (Eltwise(EltwiseOp.MUL, 5), ["8", "sigm"]),
        "sum": (Eltwise(EltwiseOp.ADD, same_frac=False), ["product", "part"]),
        "12": (ConvertTensor(16, 9), ["sum"])}
    names = ("input", *layers)
    return join_layers("branches", Tensor.zeros((2, 5, 5), 8, 7),
                       tuple(layer for layer, _ in layers.values()),
                       tuple(tuple(map(names.index, inputs)) for _, inputs in layers.values()),
                       tuple(layers))


def test_numpy_integers_are_saved_as_ints(tmp_path):
    path, network = tmp_path / "small.npz", small_network()

    save_network(path, join_layers(
        network.name, Tensor.zeros(tuple(np.array((2, 5, 5))), 8, np.int8(7)), network.layers,
        tuple(tuple(np.array(node.sources)) for node in network.nodes)))

    assert load_network(path) == network


def test_branches_round_trip(tmp_path):
    path, network = tmp_path / "branches.npz", branches()

    save_network(path, network)

    assert load_network(path) == network
    with np.load(path) as file:
        layers = json.loads(str(file["network"]))["layers"]
    assert [layer.get("inputs") for layer in layers] == [
        None, ["input"], None, ["pool"], ["2", "leaky"], None, None, None, None, ["part"],
        ["8", "sigm"], ["product", "part"], None]
    assert [layer.get("name") for layer in layers][:3] == ["pool", "mean", None]


def test_cells_and_softmax_are_layers_too(tmp_path):
    cell = BasicRnnCell(*(Tensor(np.ones(shape, np.int16), 9) for shape in ((3, 7), (3,), (3,))),
                        out_frac_bits=15, act=Act.TANH)
    network = join_layers("cell", Tensor.zeros((4,), 16, 9), (cell, Softmax()))

    save_network(tmp_path / "cell.npz", network)

    assert load_network(tmp_path / "cell.npz") == network
    assert [value.frac_bits for value in network.values] == [9, 15, 15]


@each_size
def test_branches_run_on_a_device(config):
    network = branches()
    images  = random_of(3).integers(-128, 128, (2, 2, 5, 5), np.int8)
    with MachineDevice(config) as device:
        inference = classify(network, images, device=device)
    assert (inference.difference, inference.compared) == (None, 13)


@pytest.mark.parametrize(("change", "message"), [
    (lambda text, arrays: text["layers"][4].update(inputs=["2", "gone"]),
     "layer both: inputs must be of input, pool, mean, 2, leaky, not 'gone'$"),
    (lambda text, arrays: text["layers"][4].update(inputs=["2", "part"]), "leaky, not 'part'$"),
    (lambda text, arrays: text["layers"][4].update(inputs="2"), "'inputs' must be a list, not '2'"),
    (lambda text, arrays: text["layers"][4].update(inputs=["2", 3]), "leaky, not 3$"),
    (lambda text, arrays: text["layers"][4].update(name=3), "'name' must be a str, not 3$"),
    (lambda text, arrays: text["layers"][4].update(name="pool"),
     "Names must differ from each other and from 'input', not pool, mean, 2, leaky, pool"),
    (lambda text, arrays: text["layers"][4].update(name="input"), "Names must differ from each"),
    (lambda text, arrays: text["layers"].insert(4, 7), "layer 4 must be an object, not 7$"),
    (lambda text, arrays: text["layers"][3].update(inputs=["pool", "mean"]),
     r"Layer leaky \(leaky_relu\): LeakyRelu takes 1 input, not 2$"),
])
def test_refuses_wrong_branches(change, message, tmp_path):
    path = tmp_path / "branches.npz"
    save_network(path, branches())
    rewrite(path, change)

    with pytest.raises(ValueError, match=rf"^{path} is not a network: .*{message}"):
        load_network(path)


@pytest.mark.parametrize(("sources", "names", "message"), [
    (((0,),), (), "There are 4 layers, but 1 sources"),
    ((), ("a", "b"), "There are 4 layers, but 2 names"),
    (((0,), (1,), (2,), (4,)), (), r"Layer 3 \(fully_connected\): Sources must be values from 0")])
def test_refuses_sources_that_are_not_there(sources, names, message):
    with pytest.raises(ValueError, match=message):
        join_layers("small", Tensor.zeros((2, 5, 5), 8, 7), small_network().layers, sources, names)


def test_parameters_with_a_default_may_be_left_out(tmp_path):
    save_network(tmp_path / "small.npz", small_network())

    rewrite(tmp_path / "small.npz", lambda text, arrays: text["layers"][3].pop("rounding"))
    loaded = load_network(tmp_path / "small.npz")

    assert loaded.layers[3].rounding is RoundMode.CONVERGENT


def set_in(*path, value):
    """Change that sets one entry of the description."""
    def change(description, arrays):
        for key in path[:-1]:
            description = description[key]
        description[path[-1]] = value
    return change


def remove(*path):
    """Change that removes one entry of the description."""
    def change(description, arrays):
        for key in path[:-1]:
            description = description[key]
        del description[path[-1]]
    return change


@pytest.mark.parametrize(("change", "message"), [
    (set_in("format", value=1), "format must be 2, not 1$"),
    (remove("format"), "the key 'format' is missing$"),
    (remove("input", "shape"), "the key 'shape' is missing$"),
    (set_in("input", value=3), "expected an object with the key 'shape', not 3$"),
    (set_in("input", "shape", value=[2, 0, 5]), r"shape must be a list of positive ints, not \[2"),
    (set_in("input", "shape", value="2x5"), "shape must be a list of positive ints, not '2x5'$"),
    (set_in("input", "dtype", value="float32"), "dtype must be int8 or int16, not 'float32'$"),
    (set_in("input", "frac_bits", value=None), "frac_bits must be an int, not NoneType$"),
    (set_in("layers", value={}), "'layers' must be a list, not {}$"),
    (set_in("layers", value=[]), "at least one layer, not 0$"),
    (set_in("layers", 1, "kind", value="pool"),
     "layer 1: kind must be one of conv2d, .*lstm_cell, mli2.arg_max, .*'pool'; did you mean "),
    (set_in("layers", 0, "relu", value="tanh"),
     r"layer 0 \(conv2d\): relu must be one of none, gen, relu1, relu6, not 'tanh'$"),
    (set_in("layers", 0, "stide", value=[1, 1]), "there is no parameter 'stide'$"),
    (set_in("layers", 0, "weights", "array", value="gone"), "the key 'gone' is missing$"),
    (remove("layers", 0, "out_frac_bits"), "the key 'out_frac_bits' is missing$"),
    (set_in("layers", 0, "stride", value=[0, 1]),
     r"Layer 0 \(conv2d\): Stride along rows must be at least 1, not 0$"),
    (set_in("layers", 0, "bias", "frac_bits", value=15), "at most 14 fractional bits.* not 15$"),
    (lambda text, arrays: arrays.update({"layer3.bias": np.zeros(4, np.int8)}),
     r"Layer 3 \(fully_connected\): Bias must have shape \(5,\)"),
    (lambda text, arrays: arrays.update({"layer0.bias": np.zeros(4)}),
     "layer 0 .*: Tensor data must be a numpy array of int8 or int16, not float64$"),
])
def test_refuses_a_wrong_description(change, message, tmp_path):
    path = tmp_path / "small.npz"
    save_network(path, small_network())
    rewrite(path, change)

    with pytest.raises(ValueError, match=rf"^{path} is not a network: .*{message}"):
        load_network(path)


def test_refuses_a_missing_file(tmp_path):
    with pytest.raises(ValueError, match=r"^There is no file .*none\.npz$"):
        load_network(tmp_path / "none.npz")


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_refuses_a_damaged_file(keep, tmp_path):
    path = tmp_path / "small.npz"
    save_network(path, small_network())
    path.write_bytes(path.read_bytes()[:keep])

    with pytest.raises(ValueError, match=r"small\.npz is damaged or not an \.npz file$"):
        load_network(path)


def test_refuses_flipped_bytes(tmp_path):
    path = tmp_path / "small.npz"
    save_network(path, small_network())
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)

    with pytest.raises(ValueError, match=r"small\.npz is damaged or not an \.npz file$"):
        load_network(path)


@pytest.mark.parametrize(("arrays", "message"), [
    ({"labels": np.zeros(3)}, "holds no images: the key 'images' is missing, there are "),
    ({"images": np.zeros((3, 2, 5, 4), np.int8)}, r"must be int8 of shape \(count, 2, 5, 5\), not"),
    ({"images": np.zeros((3, 2, 5, 5), np.int16)}, r"must be int8 .*, not int16 of shape"),
    ({"images": np.zeros((0, 2, 5, 5), np.int8)}, r"must be at least 1, not 0$"),
    ({"images": np.zeros((3, 2, 5, 5), np.int8), "labels": np.zeros(2, np.int8)},
     r"must have shape \(3,\), not \(2,\)$"),
])
def test_refuses_wrong_images(arrays, message, tmp_path):
    save_arrays(tmp_path / "images.npz", arrays)

    with pytest.raises(ValueError, match=message):
        load_images(tmp_path / "images.npz", small_network())


def test_a_failed_save_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match=r"^Cannot write .*: there is no folder"):
        save_network(tmp_path / "gone" / "small.npz", small_network())

    assert not list(tmp_path.iterdir())

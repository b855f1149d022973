# SPDX-License-Identifier: Apache-2.0
"""Inputs from .npy and .npz files: which shapes and types fit, and what values become."""


import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.networks import constant, value
from xymac import golden
from xymac.golden import tflm
from xymac.hdl.config import TINY
from xymac.host.errors import InputError
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.inputs.values import dequantise, quantise
from xymac.host.network.linker import compile_network
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

UNIT = 1 / 255


def relu(shape=(1, 4, 3, 1), kind=TENSOR_TYPE.INT8, scale=UNIT, zero_point=-128, count=1):
    """Network of a RELU, or of a MAXIMUM of two inputs."""
    names  = ("x", "z")[:count]
    scale  = float(np.float32(scale))
    inputs = tuple(value(name, shape, kind, scale, zero_point) for name in names)
    y      = value("y", shape, kind, scale, zero_point)
    name   = "RELU" if count == 1 else "MAXIMUM"
    return network_of(Model((*inputs, y), (Operator(name, tuple(range(count)), (count,)),),
                            tuple(range(count)), (count,)), "small")


def save(path, data):
    """Write an array or a dict of arrays; the path."""
    if isinstance(data, dict):
        np.savez(path, **data)
    else:
        np.save(path, data)
    return path


@pytest.mark.parametrize("shape", [(5, 1, 4, 3, 1), (5, 4, 3, 1)])
def test_the_dimension_of_one_image_may_be_left_out(shape, tmp_path):
    data = random_of(1).integers(-128, 128, shape, np.int8)

    images = load_images(save(tmp_path / "x.npy", data), relu())

    np.testing.assert_array_equal(images.data, data.reshape(5, 1, 4, 3, 1))
    assert (images.count, images.labels, images.reading) == (5, None, "")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_byte_orders_and_index_orders(order, suffix, tmp_path):
    wanted = random_of(1).integers(-1 << 15, 1 << 15, (5, 2, 3), np.int16)
    data   = np.asfortranarray(wanted.astype(f"{order}i2"))

    images = load_images(save(tmp_path / f"x.{suffix}", {"x": data} if suffix == "npz" else data),
                         relu((2, 3), TENSOR_TYPE.INT16, zero_point=0))

    np.testing.assert_array_equal(images.data, wanted)


def test_a_dimension_of_several_stays(tmp_path):
    network = relu((2, 3))

    with pytest.raises(InputError, match=r"of shape \(count, 2, 3\), not int8 of shape \(2, 3\)"):
        load_images(save(tmp_path / "x.npy", np.zeros((2, 3), np.int8)), network)


@pytest.mark.parametrize("kind", [TENSOR_TYPE.INT8, TENSOR_TYPE.INT16])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floating_point_is_quantised_as_the_operator_does(kind, dtype, tmp_path):
    network = relu(kind=kind, scale=0.0371, zero_point=3 if kind == TENSOR_TYPE.INT8 else 0)
    halves  = (np.arange(-20, 28) + 0.5) * np.float32(network.inputs[0].quantisation.scale)
    data    = halves.reshape(4, 4, 3, 1).astype(dtype)

    images = load_images(save(tmp_path / "x.npy", data), network)

    blank  = network.inputs[0]
    layer  = tflm.Quantize(blank.quantisation, blank.data.dtype)
    expect = golden.run(layer, tflm.Tensor(data.astype(np.float32))).output.data
    np.testing.assert_array_equal(images.data[:, 0], expect)
    assert "quantised by scale 0.0371" in images.reading


def test_large_values_are_limited():
    blank = relu().inputs[0]

    assert quantise(np.array([1e30, -1e30, 3e38]), blank).tolist() == [127, -128, 127]


def test_elements_stand_for_values():
    blank = relu(scale=0.5, zero_point=-3).inputs[0]

    assert dequantise(np.array([-3, 0, 127], np.int8), blank).tolist() == [0, 1.5, 65]


@pytest.mark.parametrize("name", ["x", "images", "data"])
def test_arrays_have_the_name_of_the_input(name, tmp_path):
    data   = random_of(2).integers(-128, 128, (3, 4, 3, 1), np.int8)
    arrays = {name: data, "labels": np.arange(3), "other": np.zeros(7)}

    images = load_images(save(tmp_path / "x.npz", arrays), relu())

    np.testing.assert_array_equal(images.data[:, 0], data)
    assert images.labels.tolist() == [0, 1, 2]
    assert images.first(2).labels.tolist() == [0, 1]


def test_several_inputs_by_their_names(tmp_path):
    x, z = random_of(3).integers(-128, 128, (2, 3, 4, 3, 1), np.int8)

    images = load_images(save(tmp_path / "x.npz", {"z": z, "x": x}), relu(count=2))

    np.testing.assert_array_equal(images.data[0][:, 0], x)
    np.testing.assert_array_equal(images.data[1][:, 0], z)
    assert (images.count, images.first(1).count) == (3, 1)


@pytest.mark.parametrize(("arrays", "count", "message"), [
    ({"y": np.zeros((1, 4, 3, 1), np.int8)}, 1, "x.npz holds no images: the key 'images' is"),
    ({"x": np.zeros((1, 4, 3, 1), np.int8)}, 2, "x.npz holds no input 'z', one of 'x', 'z'$"),
    ({"x": np.zeros((1, 4, 3, 1), np.int8), "z": np.zeros((2, 4, 3, 1), np.int8)}, 2,
     "must be equally many, not 1, 2$"),
    ({"x": np.zeros((1, 4, 2), np.int8)}, 1,
     r"must be int8 .* \(count, 1, 4, 3, 1\) or \(count, 4, 3, 1\) or \(count, 4, 3\), not int8"),
    ({"x": np.zeros((1, 4, 3, 1), np.int16)}, 1, "not int16 of shape"),
    ({"x": np.zeros((1, 4, 3, 1), np.complex64)}, 1, "not complex64 of shape"),
    ({"x": np.full((1, 4, 3, 1), np.nan)}, 1, "must be finite in float32$"),
    ({"x": np.full((1, 4, 3, 1), 1e300)}, 1, "must be finite in float32$"),
    ({"x": np.zeros((0, 4, 3, 1), np.int8)}, 1, r"^Images in .*x\.npz must be at least 1, not 0$"),
    ({"x": np.zeros(0, np.int8), "z": np.zeros(0, np.int8)}, 2, "^Input 'x' in .* least 1, not 0$"),
    ({"images": np.zeros((1, 4, 3, 1), np.int8), "data": np.zeros((2, 4, 3, 1), np.int8)}, 1,
     r"x\.npz must hold a single array of inputs, not 2: 'images', 'data'$"),
    ({"x": np.zeros((1, 4, 3, 1), np.int8), "y": np.zeros(1), "labels": np.zeros(1)}, 1,
     r"x\.npz must hold a single array of labels, not 2: 'labels', 'y'$"),
    ({"x": np.int8(3)}, 1, r"not int8 of shape \(\)$"),
    ({"x": np.zeros((2, 4, 3, 1), np.int8), "labels": np.zeros(3)}, 1,
     r"Labels in .* must have shape \(2,\), not \(3,\)$"),
    ({"x": np.zeros((1, 4, 3, 1), np.int8), "labels": np.array([1.5])}, 1,
     r"Labels in .* must be integers or texts, not float64 with fractions$")])
def test_refused_arrays(arrays, count, message, tmp_path):
    with pytest.raises(InputError, match=message):
        load_images(save(tmp_path / "x.npz", arrays), relu(count=count))


@pytest.mark.parametrize("shape", [(5, 4, 3, 1), (5, 4, 3)])
@pytest.mark.parametrize(("scale", "zero_point", "low"), [(UNIT, -128, 0), (2 / 255, -1, -1)])
def test_uint8_arrays_are_the_pixels_of_images(shape, scale, zero_point, low, tmp_path):
    network = relu(scale=scale, zero_point=zero_point)
    pixels  = random_of(5).integers(0, 256, shape, np.uint8)

    images = load_images(save(tmp_path / "x.npy", pixels), network)

    real = low + (1 - low) * (pixels / 255).reshape(5, 1, 4, 3, 1)
    np.testing.assert_allclose(dequantise(images.data, network.inputs[0]), real, atol=1 / 128)
    assert images.reading.startswith("uint8 pixels less 128")


def test_uint8_arrays_of_another_shape_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"not uint8 of shape \(2, 12\): elements of uint8 become"):
        load_images(save(tmp_path / "x.npy", np.zeros((2, 12), np.uint8)), relu((1, 12)))


@pytest.mark.parametrize(("name", "labels", "wanted", "classes"), [
    ("y", np.array([[3], [1]]), [3, 1], ()), ("label", np.array([3.0, 1.0]), [3, 1], ()),
    ("labels", np.array([[0, 0, 1], [0, 1, 0]]), [2, 1], ()),
    ("y_test", np.array(["no", "go"]), [1, 0], ("go", "no")),
    ("y", np.array(["12", "7"]), [12, 7], ())])
def test_labels_are_numbers_or_names(name, labels, wanted, classes, tmp_path):
    arrays = {"images": np.zeros((2, 4, 3, 1), np.int8), name: labels}

    images = load_images(save(tmp_path / "x.npz", arrays), relu())

    assert (images.labels.tolist(), images.classes) == (wanted, classes)


def test_refused_files(tmp_path):
    path = save(tmp_path / "x.npy", np.zeros((1, 4, 3, 1), np.int8))

    with pytest.raises(InputError, match=r"small has 2 inputs: they must be in an \.npz file by"):
        load_images(path, relu(count=2))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match=r"x\.npy is damaged or not an \.npy file$"):
        load_images(path, relu())
    with pytest.raises(InputError, match=r"There is no file .*gone\.npy$"):
        load_images(tmp_path / "gone.npy", relu())


def test_a_missing_input_is_random_and_always_the_same():
    network = relu((1, 64, 64, 1))

    images = random_images(network, 1)

    assert images.count == 1
    assert (images.data.min(), images.data.max()) == (-128, 127)
    np.testing.assert_array_equal(images.data, random_images(network, 1).data)


def test_inputs_of_bool(tmp_path):
    """Random ones are both; those of a file are bool and nothing that has a scale."""
    shape   = (1, 8, 8, 1)
    model   = Model((Tensor("x", shape, TENSOR_TYPE.BOOL, (0.5,), (0,)),
                     Tensor("y", shape, TENSOR_TYPE.BOOL)),
                    (Operator("LOGICAL_NOT", (0,), (1,)),), (0,), (1,))
    network = network_of(model, "small")
    [data]  = random_images(network, 1).data

    assert (data.dtype, set(data.ravel().tolist())) == (np.dtype(bool), {False, True})
    assert classify(network, data[np.newaxis]).outputs[0][0].tolist() == (~data).tolist()
    with pytest.raises(InputError, match=r"must be bool of shape .*, not float32"):
        load_images(save(tmp_path / "x.npy", np.zeros(shape, np.float32)), network)


def test_a_compiled_network_takes_the_same_real_inputs():
    """Behind a RESHAPE, for the elements of the first QUANTIZE."""
    shape   = (1, 4, 3)
    tensors = (Tensor("x", (12,), TENSOR_TYPE.FLOAT32), constant("shape", np.int32(shape)),
               Tensor("flat", shape, TENSOR_TYPE.FLOAT32), value("a", shape, scale=0.5),
               value("y", shape, scale=0.5))
    network = network_of(Model(tensors, (
        Operator("RESHAPE", (0, 1), (2,), options.ReshapeOptions(shape)),
        Operator("QUANTIZE", (2,), (3,)), Operator("RELU", (3,), (4,))), (0,), (4,)), "real")

    images = random_images(compile_network(network, TINY), 1)

    np.testing.assert_array_equal(images.data, random_images(network, 1).data)
    assert np.unique(images.data % 0.5).tolist() == [0]
    assert abs(images.data).max() > 10

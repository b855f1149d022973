"""Inputs from .npy, .npz and image files: which shapes and types fit, and what values become."""

from dataclasses import replace

import matplotlib.image
import numpy as np
import pytest
from PIL import Image

import golden
from golden import tflm
from host.errors import InputError
from host.network.inputs.images import load_images
from host.network.inputs.pixels import PixelRange, parse_range
from host.network.inputs.samples import random_images
from host.network.inputs.values import dequantise, quantise
from host.network.tflite import network_of
from host.tflite.codes import TENSOR_TYPE
from host.tflite.model import Model, Operator
from tests.support.seed import random_of
from tests.support.tflite.networks import constant, value

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
    ({"x": np.zeros((1, 4, 3), np.int8)}, 1,
     r"must be int8 or floating point of shape \(count, 1, 4, 3, 1\) or \(count, 4, 3, 1\), not"),
    ({"x": np.zeros((1, 4, 3, 1), np.uint8)}, 1, "not uint8 of shape"),
    ({"x": np.zeros((1, 4, 3, 1), np.int16)}, 1, "not int16 of shape"),
    ({"x": np.zeros((1, 4, 3, 1), np.complex64)}, 1, "not complex64 of shape"),
    ({"x": np.full((1, 4, 3, 1), np.nan)}, 1, "must be finite in float32$"),
    ({"x": np.full((1, 4, 3, 1), 1e300)}, 1, "must be finite in float32$"),
    ({"x": np.zeros((0, 4, 3, 1), np.int8)}, 1, "not int8 of shape"),
    ({"x": np.int8(3)}, 1, r"not int8 of shape \(\)$"),
    ({"x": np.zeros((2, 4, 3, 1), np.int8), "labels": np.zeros(3)}, 1,
     r"Labels in .* must have shape \(2,\), not \(3,\)$")])
def test_refused_arrays(arrays, count, message, tmp_path):
    with pytest.raises(InputError, match=message):
        load_images(save(tmp_path / "x.npz", arrays), relu(count=count))


def test_refused_files(tmp_path):
    path = save(tmp_path / "x.npy", np.zeros((1, 4, 3, 1), np.int8))

    with pytest.raises(InputError, match=r"small has 2 inputs: they must be in an \.npz file by"):
        load_images(path, relu(count=2))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match=r"x\.npy is damaged or not an \.npy file$"):
        load_images(path, relu())
    with pytest.raises(InputError, match=r"There is no file .*gone\.npy$"):
        load_images(tmp_path / "gone.npy", relu())


def draw(path, pixels):
    """Write uint8 pixels, (rows, columns[, 3 or 4]), as a PNG file."""
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[..., np.newaxis], 3, axis=2)
    matplotlib.image.imsave(path, pixels)
    return path


PIXELS = random_of(4).integers(0, 256, (4, 3, 3)).astype(np.uint8)


@pytest.mark.parametrize(("scale", "zero_point"), [
    (UNIT, -128), (2 / 255, -1), (2 / 255, 0), (1.0, -128), (1.0, 0), (1 / 128, 0)])
def test_pixels_fill_the_range_of_the_input(scale, zero_point, tmp_path):
    network = relu((1, 4, 3, 3), scale=scale, zero_point=zero_point)

    images = load_images(draw(tmp_path / "p.png", PIXELS), network)

    np.testing.assert_array_equal(images.data[0, 0], PIXELS.astype(int) - 128)
    assert images.reading == "pixels less 128"


@pytest.mark.parametrize(("scale", "zero_point", "divisor"), [
    (0.05, -100, 1), (0.007, -100, 255), (0.003, 5, 255)])
def test_pixels_elsewhere_are_quantised(scale, zero_point, divisor, tmp_path):
    network = relu((1, 4, 3, 3), scale=scale, zero_point=zero_point)

    images = load_images(draw(tmp_path / "p.png", PIXELS), network)

    np.testing.assert_array_equal(images.data[0, 0],
                                  quantise(PIXELS / divisor, network.inputs[0]))
    assert "quantised by scale" in images.reading


def test_grey_pixels_have_one_channel(tmp_path):
    grey = PIXELS[..., 0]

    for shape in ((1, 4, 3, 1), (1, 4, 3)):
        images = load_images(draw(tmp_path / "p.png", grey), relu(shape))
        np.testing.assert_array_equal(images.data.reshape(4, 3), grey.astype(int) - 128)


def test_pixels_of_16_bits(tmp_path):
    network = relu((1, 4, 3, 3), TENSOR_TYPE.INT16, 2.0**-15, 0)

    images = load_images(draw(tmp_path / "p.png", PIXELS), network)

    np.testing.assert_array_equal(images.data[0, 0],
                                  quantise(PIXELS / 255, network.inputs[0]))


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for name, pixels in (("b", PIXELS), ("a", 255 - PIXELS)):
        draw(tmp_path / f"{name}.png", pixels)
    (tmp_path / "labels.txt").write_text("no image")

    images = load_images(tmp_path, relu((1, 4, 3, 3)))

    np.testing.assert_array_equal(images.data[:, 0], [127 - PIXELS.astype(int),
                                                      PIXELS.astype(int) - 128])


def quantize(scale, zero_point, shape=(1, 4, 3, 3), moved=False):
    """Network of a QUANTIZE of floating point, behind a TRANSPOSE if ``moved``."""
    number = TENSOR_TYPE.FLOAT32
    plain  = (replace(value("x", shape, number), scales=(), zero_points=()),)
    steps  = (Operator("QUANTIZE", (0,), (1,)),)
    if moved:
        order = np.array([0, 2, 1, 3], np.int32)
        plain = (*plain, constant("order", order), replace(
            plain[0], name="moved", shape=tuple(shape[axis] for axis in order)))
        steps = (Operator("TRANSPOSE", (0, 1), (2,)), Operator("QUANTIZE", (2,), (3,)))
    y = value("y", plain[-1].shape, scale=float(np.float32(scale)),
              zero_point=zero_point)
    return network_of(Model((*plain, y), steps, (0,), (len(plain),)), "edge")


@pytest.mark.parametrize(("scale", "zero_point", "low", "high"), [
    (1.0, -128, 0, 255), (UNIT, -128, 0, 1), (2 / 255, -1, -1, 1), (1 / 127.5, 0, -1, 1),
    (1.0, 0, -128, 127), (0.05, -100, 0, 255), (0.007, -100, 0, 1)])
def test_the_first_quantize_says_what_pixels_are(scale, zero_point, low, high, tmp_path):
    images = load_images(draw(tmp_path / "p.png", PIXELS), quantize(scale, zero_point))

    wanted = PIXELS.astype(float) * (high - low) / 255 + low
    np.testing.assert_array_equal(images.data[0, 0], wanted.astype(np.float32))
    assert f"pixels as {low}..{high}, " in images.reading


def test_a_quantize_behind_a_move_says_what_pixels_are(tmp_path):
    path = draw(tmp_path / "p.png", PIXELS)

    for network in (quantize(1.0, -128), quantize(1.0, -128, moved=True)):
        np.testing.assert_array_equal(load_images(path, network).data[0, 0], PIXELS)


@pytest.mark.parametrize("network", [quantize(UNIT, -128), relu((1, 4, 3, 3))])
def test_a_range_that_is_asked_for(network, tmp_path):
    images = load_images(draw(tmp_path / "p.png", PIXELS), network, parse_range("-0.5..1.5"))

    wanted = (PIXELS / 127.5 - 0.5).astype(np.float32)
    blank  = network.inputs[0]
    np.testing.assert_array_equal(images.data[0, 0], wanted if blank.quantisation is None
                                  else quantise(wanted, blank))
    assert images.reading.startswith("pixels as -0.5..1.5, as --pixels says")


@pytest.mark.parametrize("text", ["", "1", "0..", "1..0", "2..2", "a..b", "0...1", "nan..1"])
def test_refused_ranges(text):
    with pytest.raises(ValueError, match=r"^must be LOW\.\.HIGH, as in 0\.\.1 or -1\.\.1, not '"):
        parse_range(text)


def test_a_range_is_for_image_files(tmp_path):
    with pytest.raises(InputError, match=r"^--pixels is for PNG, JPEG and BMP .*, not .*x\.npy$"):
        load_images(save(tmp_path / "x.npy", PIXELS), relu(), PixelRange(0, 1))


@pytest.mark.parametrize(("name", "shape", "note"), [
    ("p.bmp", (1, 4, 3, 3), ""), ("p.jpg", (1, 4, 3, 3), ""),
    ("p.bmp", (1, 8, 6, 3), "; p.bmp 4x3 resized to 8x6"),
    ("p.png", (1, 4, 4, 3), "; p.png 4x3 resized to 4x4"),
    ("p.png", (1, 4, 3, 1), "; p.png colours made grey"),
    ("p.JPEG", (1, 2, 2), "; p.JPEG colours made grey, and 1 further changes")])
def test_images_are_fitted_to_the_input(name, shape, note, tmp_path):
    Image.fromarray(PIXELS).save(tmp_path / name)

    images = load_images(tmp_path, relu(shape))

    picture = Image.open(tmp_path / name)
    if shape[-1] != 3:
        picture = picture.convert("L")
    picture = picture.resize((shape[2], shape[1]), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(images.data[0].reshape(-1),
                                  np.asarray(picture).reshape(-1).astype(int) - 128)
    assert images.reading == f"pixels less 128{note}"


def test_grey_of_16_bits_and_rotated_images(tmp_path):
    deep = (PIXELS[..., 0].astype(np.uint16) * 257 + 100)
    Image.fromarray(deep).save(tmp_path / "a.png")
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera stood on its side
    Image.fromarray(PIXELS[..., 0].T).save(tmp_path / "b.png", exif=exif)

    images = load_images(tmp_path, relu())

    np.testing.assert_array_equal(images.data[0, 0, ..., 0], PIXELS[..., 0].astype(int) - 128)
    np.testing.assert_array_equal(images.data[1, 0, ..., 0],
                                  np.rot90(PIXELS[..., 0].T, -1).astype(int) - 128)


def test_more_pixels_than_an_input_can_have(tmp_path):
    Image.new("1", (1 << 14, 1 << 13)).save(tmp_path / "p.png")
    limit = r"p\.png must have at most 67,108,864 pixels, not 134,217,728$"

    with pytest.raises(InputError, match=limit):
        load_images(tmp_path / "p.png", relu())


@pytest.mark.parametrize(("shape", "pixels", "message"), [
    ((1, 4, 3, 3), np.dstack([PIXELS, PIXELS[..., 0] // 2]), "p.png must be opaque$"),
    ((1, 4, 3, 2), PIXELS, "need an input of shape .* that of small has shape"),
    ((1, 36), PIXELS, r"need an input of shape .* that of small has shape \(1, 36\)")])
def test_refused_pixels(shape, pixels, message, tmp_path):
    with pytest.raises(InputError, match=message):
        load_images(draw(tmp_path / "p.png", pixels), relu(shape))


def test_refused_png_files(tmp_path):
    path    = draw(tmp_path / "p.png", PIXELS)
    network = relu((1, 4, 3, 3))
    (tmp_path / "empty").mkdir()

    for keep in (60, 20, 8):
        path.write_bytes(path.read_bytes()[:keep])
        with pytest.raises(InputError, match=r"p\.png is damaged or not a PNG, JPEG or BMP file$"):
            load_images(path, network)
    with pytest.raises(InputError, match=r"The folder .*empty holds no PNG, JPEG or BMP files$"):
        load_images(tmp_path / "empty", network)
    with pytest.raises(InputError, match=r"There is no file .*gone\.png$"):
        load_images(tmp_path / "gone.png", network)
    with pytest.raises(InputError, match=r"small has 2 inputs: they must be in an \.npz file"):
        load_images(path, relu((1, 4, 3, 3), count=2))
    with pytest.raises(InputError, match=r"which is no \.tflite file, must be in an \.npz or"):
        load_images(path, replace(network, numbers=()))


def test_a_missing_input_is_random_and_always_the_same():
    network = relu((1, 64, 64, 1))

    images = random_images(network, 1)

    assert images.count == 1
    assert (images.data.min(), images.data.max()) == (-128, 127)
    np.testing.assert_array_equal(images.data, random_images(network, 1).data)

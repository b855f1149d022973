# SPDX-License-Identifier: Apache-2.0
"""Inputs from PNG, JPEG and BMP files: which fit, and what pixels become."""

from dataclasses import replace
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from PIL import Image

from tests.host.network.test_images import UNIT, relu, save
from tests.support.seed import random_of
from tests.support.tflite.networks import constant, value
from xymac.host.errors import InputError
from xymac.host.network.inputs.images import load_images
from xymac.host.network.inputs.pixels import PixelRange, parse_range
from xymac.host.network.inputs.values import quantise
from xymac.host.network.tflite import network_of
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator


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
    with pytest.raises(ValueError, match=r"^must be LOW\.\.HIGH with LOW below HIGH, as in "
                                         r"0\.\.1 or -1\.\.1, not '"):
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
    ((1, 4, 3, 3), np.dstack([PIXELS, PIXELS[..., 0] // 2]), "p.png must be opaque, and has"),
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
    with pytest.raises(InputError, match=r"The folder .*empty holds no PNG, JPEG or BMP "
                       "files, and no folders of them$"):
        load_images(tmp_path / "empty", network)
    with pytest.raises(InputError, match=r"There is no file .*gone\.png$"):
        load_images(tmp_path / "gone.png", network)
    with pytest.raises(InputError, match=r"small has 2 inputs: they must be in an \.npz file"):
        load_images(path, relu((1, 4, 3, 3), count=2))
    with pytest.raises(InputError, match=r"which is no \.tflite file, must be in an \.npz or"):
        load_images(path, replace(network, numbers=()))


def test_other_image_files_are_named(tmp_path):
    (tmp_path / "x.gif").write_bytes(b"GIF8")
    with pytest.raises(InputError, match=r"gif must be a PNG, JPEG, BMP, \.npy or \.npz"):
        load_images(tmp_path / "x.gif", relu((1, 4, 3, 3)))


def test_hidden_files_and_folders_are_no_images(tmp_path):
    """Such as ._0.png of macOS and .ipynb_checkpoints of Jupyter."""
    for name in ("0/0.png", "0/._0.png", ".ipynb_checkpoints/0-checkpoint.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(PIXELS).save(tmp_path / name)

    images = load_images(tmp_path, relu((1, 4, 3, 3)))

    assert [Path(file).name for file in images.files] == ["0.png"]
    assert images.labels.tolist() == [0]


def test_names_of_folders_are_labels(tmp_path):
    for name in ("10", "2", "empty"):
        (tmp_path / name).mkdir()
    draw(tmp_path / "10" / "b.png", PIXELS)
    draw(tmp_path / "10" / "a.png", PIXELS[::-1])
    draw(tmp_path / "2" / "a.png", PIXELS)

    images = load_images(tmp_path, relu((1, 4, 3, 3)))

    assert images.labels.tolist() == [2, 10, 10]
    assert [file.removeprefix(f"{tmp_path}/") for file in images.files] == [
        "2/a.png", "10/a.png", "10/b.png"]
    np.testing.assert_array_equal(images.data[0], images.data[2])
    assert images.take([2, 0]).labels.tolist() == [10, 2]

# SPDX-License-Identifier: Apache-2.0
"""The shipped networks: right answers, results on every backend, and how they come about."""

import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave

from docs.tables.documents import read_tables
from tests.support.costs import cells
from tests.support.tflite.micro import run_file
from xymac.hdl.config import SIZES
from xymac.host.device.device import MachineDevice
from xymac.host.examples import digits
from xymac.host.examples.digits import RECIPES, Digits, load_digits, write
from xymac.host.files.arrays import load_arrays
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.load import load_model
from xymac.host.network.network import Images

HOST   = Path(__file__).parents[3] / "host/examples/data"
IMAGES = {f"{name}.npz": images for recipe in RECIPES
          for name, (_, images) in recipe.files.items()} | {
    name: images for recipe in RECIPES for name, (images, _) in recipe.quantised.items()}

#: Right answers for the 300 test images.
RIGHT = {"digits_cnn.npz": 292, "digits_pool.npz": 293,
         "digits_lstm_fx8.npz": 290, "digits_lstm_fx16.npz": 290, "digits_lstm_fx8w16d.npz": 289,
         "digits_cnn.tflite": 293, "digits_sa8.npz": 293, "digits_xs3.npz": 293}

UNSURE = (67, 74, 207)  #: Test images that the networks are least sure of: softmax is busy there.

BACKENDS = ("golden", "machine", "rtl")


def shipped(name):
    """A network and its Images."""
    network = load_model(HOST / name)
    return network, load_images(HOST / f"{IMAGES[name]}.npz", network)


@contextmanager
def opened(backend, size, rtl):
    """A device, None for the golden kernels alone."""
    if backend == "machine":
        with MachineDevice(SIZES[size]) as device:
            yield device
    else:
        yield rtl(size) if backend == "rtl" else None


@pytest.mark.parametrize("name", RIGHT)
def test_networks_know_their_digits(name):
    network, images = shipped(name)

    predictions = classify(network, images.data).predictions

    assert len(predictions) == 300
    assert np.count_nonzero(predictions == images.labels) == RIGHT[name]


@pytest.mark.parametrize(("name", "backend", "size"), [
    (name, backend, size) for name in RIGHT for backend in BACKENDS
    for size in (SIZES if backend != "golden" else ["base"])])
def test_networks_run_on_a_backend(name, backend, size, rtl):
    network, images = shipped(name)
    unsure = images.data[list(UNSURE)]

    with opened(backend, size, rtl) as device:
        inference = classify(network, unsure, device=device)

    assert inference.difference is None
    assert inference.compared == (0 if backend == "golden" else len(network.layers) - sum(
        facts.folded for facts in inference.facts))
    assert inference.predictions == classify(network, unsure).predictions


def test_accuracies_of_the_documents_are_these():
    _, *rows = cells(read_tables()["accuracy"])

    assert {row[0].strip("`"): row[1:3] for row in rows} == {
        name: [f"{right} of 300", f"{right / 300:.1%}"] for name, right in RIGHT.items()}


def test_all_files_have_a_recipe():
    assert {path.name for path in HOST.iterdir()} == {
        *IMAGES, *(f"{images}.npz" for images in IMAGES.values())}
    assert list(RIGHT) == list(IMAGES)


def test_tflite_micro_gives_the_same_shares():
    content = (HOST / "digits_cnn.tflite").read_bytes()
    network, images = shipped("digits_cnn.tflite")

    outputs = classify(network, images.data[:40]).outputs

    for image, [shares] in zip(images.data, outputs, strict=False):
        np.testing.assert_array_equal(run_file(content, image)[0], shares)


def test_pixels_may_be_a_png_file(tmp_path):
    network, images = shipped("digits_cnn.tflite")
    grey = (images.data[5, 0, ..., 0].astype(int) + 128).astype(np.uint8)
    imsave(tmp_path / "five.png", np.repeat(grey[..., np.newaxis], 3, axis=2))

    loaded = load_images(tmp_path / "five.png", network)

    np.testing.assert_array_equal(loaded.data, images.data[5:6])


@pytest.mark.long
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: next(iter(recipe.files)))
def test_training_gives_the_shipped_files(recipe, tmp_path):
    write(recipe, load_digits(), tmp_path)

    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        *(f"{name}.npz" for name in recipe.files), *recipe.quantised,
        *(f"{images}.npz" for _, images in recipe.files.values()),
        *(f"{images}.npz" for images, _ in recipe.quantised.values())}
    for name in names:
        if name.endswith(".tflite"):
            assert (tmp_path / name).read_bytes() == (HOST / name).read_bytes()
            continue
        trained, expected = (load_arrays(folder / name) for folder in (tmp_path, HOST))
        assert trained.keys() == expected.keys()
        for key, array in expected.items():
            np.testing.assert_array_equal(trained[key], array, f"{name}, {key}", strict=True)


def test_the_script_tells_how_many_are_right(capsys, monkeypatch, tmp_path):
    data = load_digits()
    test = Images(data.test.data[:30], data.test.labels[:30])
    monkeypatch.setattr(digits, "load_digits", lambda: Digits(data.train, test))
    monkeypatch.setattr(digits, "RECIPES", RECIPES[-1:])
    monkeypatch.setattr("xymac.host.examples.training.EPOCHS", 1)

    digits.main(["-o", str(tmp_path)])

    share = r"\d\d\.\d% in"
    assert re.fullmatch(rf"digits_lstm_fx8, .*: 30 test images, right: {share} double precision, "
                        rf"{share} fx8, {share} fx16, {share} fx8w16d\n", capsys.readouterr().out)
    assert len(list(tmp_path.iterdir())) == 5

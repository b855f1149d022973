# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of images in C: copied as arrays, or moved by steps."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.c.conftest import CNN
from tests.host.c.test_network import assert_golden
from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import short_network
from tests.support.c.external import image_for, run_in_c
from tests.support.images import images_of
from tests.support.tflite.memory import byte_network, held_network
from xymac.host.c import external
from xymac.host.c.external import tabulate_image
from xymac.host.image import values
from xymac.host.image.inputs import is_own_array
from xymac.host.image.places import ElementPlace
from xymac.host.network.load import load_model
from xymac.host.network.tflite import network_of

FX16 = CNN.with_name("digits_lstm_fx16.npz")
#: Networks by the types and inverted bits of their inputs and outputs.
MADE = {
    "int8": lambda: load_model(CNN), "int16": lambda: load_model(FX16),
    "uint8": lambda: network_of(byte_network(same=False), "1unsigned"),
    "float": lambda: network_of(replace(edges(), outputs=(1, 3)), "1edges"),
    "two outputs": lambda: network_of(replace(short_network(), outputs=(3, 7)), "1two")}


def kinds_of(network):
    """Step kinds of a network's image, and (type, inverted bits) of its arrays."""
    made   = tabulate_image(image_for(network), "")
    arrays = [(made.tables.values[each.array].type, each.inverted) for each in made.ranges
              if each.array is not None]
    return {step.kind for step in (*made.tables.run, *made.after)}, arrays


def run(folder, network, options=(), order="="):
    """Assert golden's outputs, whose elements have a byte order in C."""
    images = images_of(network, range(2))
    given  = [[x.astype(x.dtype.newbyteorder(order)) for x in image] for image in images]

    outputs, _ = run_in_c(folder, network, given, options=options)

    assert_golden(network, images, [
        [np.ascontiguousarray(data).view(data.dtype.newbyteorder(order)) for data in each]
        for each in outputs])


@pytest.mark.parametrize(("name", "arrays"), [
    ("int8", [("INT8", 0)] * 2), ("int16", [("INT16", 0)] * 2),
    ("uint8", [("UINT8", 0x80), ("INT8", 0), ("UINT8", 0x80), ("UINT8", 0x80), ("INT8", 0)])])
def test_arrays_have_no_steps(name, arrays):
    assert kinds_of(MADE[name]()) == (set(), arrays)


@pytest.mark.parametrize("name", MADE)
def test_arrays_of_a_little_endian_processor(name, tmp_path):
    run(tmp_path, MADE[name]())


@pytest.mark.parametrize("name", ["int8", "int16", "uint8"])
def test_arrays_of_a_big_endian_processor(name, tmp_path):
    """The driver takes this processor for one, and gets the elements of one."""
    run(tmp_path, MADE[name](), ["-DXYMAC_LITTLE_ENDIAN=0"], "S")


@pytest.mark.parametrize("name", MADE)
def test_steps_move_arrays_too(name, monkeypatch, tmp_path):
    monkeypatch.setattr(external, "is_own_array", lambda place, data: False)
    network = MADE[name]()

    assert {"WRITE", "READ"} <= kinds_of(network)[0]
    run(tmp_path, network)


@pytest.mark.parametrize("name", ["int8", "uint8", "float", "two outputs"])
def test_values_that_are_no_arrays(name, monkeypatch, tmp_path):
    """In an image whose values lie wherever transfers are the shortest."""
    monkeypatch.setattr(values, "_PREFER", 0)
    network = MADE[name]()

    assert {"WRITE", "READ"} <= kinds_of(network)[0]
    run(tmp_path, network)


@pytest.mark.parametrize(("kind", "options", "copied"), [
    (np.int8, {}, True), (np.int16, {}, True), (np.int32, {}, False),
    (np.int8, {"pitch": 12}, False), (np.int16, {"axes": (1, 0)}, False)])
def test_arrays_of_8_and_16_bits_are_copied(kind, options, copied):
    data  = np.zeros((2, 10), kind)
    place = ElementPlace.in_order(data, 4, **options)

    assert is_own_array(place, data) is copied


def test_padding_behind_an_array_is_not_copied():
    data = np.zeros((1, 10), np.int8)

    assert not is_own_array(ElementPlace.in_order(data, 4, pitch=12), data)


def test_a_state_before_its_run_is_no_array():
    """The driver reads it before the core writes the next one."""
    kinds, arrays = kinds_of(network_of(replace(held_network(), outputs=(3,)), "1held"))

    assert "READ" in kinds
    assert len(arrays) == 1

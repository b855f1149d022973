# SPDX-License-Identifier: Apache-2.0
"""Inputs that a core with a DMA reads where they lie, behind an image in C."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.c.test_external import sum_network
from tests.host.c.test_network import assert_golden
from tests.host.cli.test_run_tflite import edges
from tests.host.network.test_session import relus, short_network
from tests.support.c.external import CONFIG, GOLDEN, build, image_for, run_in_c, write_image
from tests.support.c.golden_core import ADDRESS, GoldenCore, run_beside
from tests.support.c.programs import compile_c
from tests.support.images import images_of
from tests.support.seed import random_of
from tests.support.tflite.memory import byte_network, stream_network
from xymac.hdl.config import TINY
from xymac.host.image.inputs import find_loads
from xymac.host.network.load import load_model
from xymac.host.network.tflite import network_of

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
BEHIND   = 0x40000  # bytes from an image to the arrays
ROOM     = 1 << 20  # bytes that ``pipe.c`` maps


def noise():
    return random_of(7).integers(0, 256, ROOM, np.uint8)


def tiles():
    return replace(relus(TINY.x_bytes * 5 // 4, 2), name="1tiles")


NETWORKS = {
    "cnn": (lambda: load_model(EXAMPLES / "digits_cnn.tflite"), True),
    "tiles": (tiles, True), "two inputs": (lambda: network_of(sum_network(), "1sum"), True),
    "fx16": (lambda: load_model(EXAMPLES / "digits_lstm_fx16.npz"), None),
    "variables": (lambda: network_of(stream_network(), "values"), None),
    "float": (lambda: network_of(edges(), "1edges"), False),
    "uint8": (lambda: network_of(byte_network(same=False), "1unsigned"), False),
    "an input is an output": (lambda: network_of(replace(
        short_network(), outputs=(7, 0, 7)), "1same"), None)}


@pytest.mark.parametrize("name", NETWORKS)
def test_results_are_those_of_copies(name, tmp_path):
    """Whether or not an input can lie elsewhere; every other run has a copy again."""
    make, moves = NETWORKS[name]
    network = make()
    image   = image_for(network)
    images  = images_of(network, range(5))
    options = [f"-DXYMAC_MEMORY={ADDRESS:#x}", f"-DPLACED={ADDRESS + BEHIND:#x}"]

    outputs, core = run_in_c(tmp_path, network, images, options=options, content=noise())

    loads = [find_loads(image, number) for number in range(len(image.executable.inputs))]
    assert moves is None or any(loads) == moves
    assert_golden(network, images, outputs)
    size = image.content.size
    assert core.windows[0] == size
    assert (max(core.windows) > BEHIND) == any(loads)
    assert len(core.windows) == 6


def test_every_transfer_of_a_tiled_input_moves():
    image = image_for(tiles())
    place = image.places[0]
    loads = find_loads(image, 0)

    words = image.content.view("<u4")
    assert len(loads) > 1
    assert [int(words[load.word // 4]) for load in loads] == [
        place.offset + load.first for load in loads]
    assert [load.word for load in loads] == sorted(load.word for load in loads)


def test_the_driver_touches_no_byte_of_a_moved_input(tmp_path):
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    images  = images_of(network, range(4))
    options = [f"-DXYMAC_MEMORY={ADDRESS:#x}", f"-DPLACED={ADDRESS + BEHIND:#x}"]

    _, core = run_in_c(tmp_path, network, images, options=options, content=noise())

    image = image_for(network)
    assert len(find_loads(image, 0)) == 1  # a word of 4 bytes a run
    assert core.flushed == image.content.size + 4 * (64 + 4)


MAIN = """
#include <stdio.h>
#include "network.h"
int xymac_bus_open(xymac_core *core);
int main(void)
{
    static int8_t output[DIGITS_CNN_OUTPUT0_COUNT];
    uint8_t *memory = (uint8_t *)(uintptr_t)XYMAC_MEMORY;
    const uint8_t *places[] = {memory - 64, memory, memory + 64, memory + DIGITS_CNN_IMAGE_BYTES,
                               memory + DIGITS_CNN_IMAGE_BYTES + 1, NULL};
    xymac_core core;
    unsigned index;
    if (xymac_bus_open(&core) || xymac_open(&core) != XYMAC_OK
        || xymac_external_load(&core, &digits_cnn, NULL) != XYMAC_OK)
        return 2;
    for (index = 0; index < sizeof places / sizeof *places; index++)
        puts(xymac_error_text(xymac_external_input_at(&core, &digits_cnn, 0, places[index])));
    puts(xymac_error_text(xymac_external_input_at(&core, &digits_cnn, 1, places[3])));
    puts(xymac_error_text(xymac_external_input_at(&core, &digits_cnn, 0, places[3])));
    puts(xymac_error_text(xymac_external_load(&core, &digits_cnn, NULL)));
    puts(xymac_error_text(digits_cnn_run(&core, (const int8_t *)places[3], output, NULL)));
    return 0;
}
"""


def test_places_that_are_refused(tmp_path):
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    write_image(tmp_path, network, image_for(network))
    (tmp_path / "main.c").write_text(MAIN)
    program = build(tmp_path, f"-DXYMAC_MEMORY={ADDRESS:#x}")
    core    = GoldenCore(CONFIG, noise())

    code, out = run_beside(core, program)

    array = ("the array of an input does not lie behind the image, at a multiple of its elements' "
             "size")
    form  = "the core cannot read this input where it lies, only a copy in the image"
    assert code == 0
    assert out.decode().splitlines() == [
        array, array, array, *["no error"] * 3, form, *["no error"] * 3]
    assert core.windows == [image_for(network).content.size] * 3  # a load undoes it


def test_an_image_in_its_own_array(tmp_path):
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    image   = image_for(network)
    write_image(tmp_path, network, image)
    core = GoldenCore(CONFIG, image.content.copy())

    code, out = run_beside(core, build(tmp_path, "-DXYMAC_IN_ARRAY"))

    assert code == 0
    assert out.decode().endswith(GOLDEN)
    assert core.flushed == 64 + 4  # the input, and where the core finds it


def test_an_image_whose_inputs_lay_elsewhere(tmp_path):
    """In place, with the commands of an earlier program."""
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    image   = image_for(network)
    write_image(tmp_path, network, image)
    content = image.content.copy()
    for load in find_loads(image, 0):
        content.view("<u4")[load.word // 4] += 0x1000
    program = build(tmp_path, "-DXYMAC_IN_PLACE", f"-DXYMAC_MEMORY={ADDRESS:#x}")

    code, out = run_beside(GoldenCore(CONFIG, content), program)

    assert code == 0
    assert out.decode().endswith(GOLDEN)


@pytest.mark.parametrize("place", ["XYMAC_IN_PLACE", "XYMAC_MEMORY=64", "XYMAC_CONTENT=x"])
def test_an_array_and_another_place(place, tmp_path):
    network = load_model(EXAMPLES / "digits_cnn.tflite")
    write_image(tmp_path, network, image_for(network))
    with pytest.raises(AssertionError, match="XYMAC_IN_ARRAY goes with no other place"):
        compile_c(tmp_path / "network.c", tmp_path, "-DXYMAC_IN_ARRAY", f"-D{place}")

# SPDX-License-Identifier: Apache-2.0
"""Images give golden's outputs on the golden machine, which refuses every hazard."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.network.test_session import relus, short_network
from tests.host.network.test_standalone import wide
from tests.support.images import SHORT, image_of, noisy_machine, run_image, with_dma
from tests.support.seed import random_of
from tests.support.tflite.memory import (
    byte_network,
    factor_network,
    held_network,
    stream_network,
)
from tests.support.tflite.states import STATES
from xymac.golden.machine.commands import HazardError
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import Memory
from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, TAKE, Host, Write
from xymac.host.image.build import build_image
from xymac.host.image.entries import RunEntry
from xymac.host.image.inputs import find_loads
from xymac.host.image.places import WordPlace
from xymac.host.image.run import ImageRunner
from xymac.host.memory.wide import WideScatter
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.tflite import network_of

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
NETWORKS = {
    "cnn":         (lambda: load_model(EXAMPLES / "digits_cnn.npz"), TINY),
    "cnn base":    (lambda: load_model(EXAMPLES / "digits_cnn.npz"), BASE),
    "tflite":      (lambda: load_model(EXAMPLES / "digits_cnn.tflite"), SMALL),
    "pool":        (lambda: load_model(EXAMPLES / "digits_pool.npz"), BASE),
    "lstm":        (lambda: load_model(EXAMPLES / "digits_lstm_fx16.npz"), TINY),
    "lstm base":   (lambda: load_model(EXAMPLES / "digits_lstm_fx8w16d.npz"), BASE),
    "sa8":         (lambda: load_model(EXAMPLES / "digits_sa8.npz"), TINY),
    "xs3":         (lambda: load_model(EXAMPLES / "digits_xs3.npz"), SMALL),
    "two outputs": (lambda: network_of(replace(short_network(), outputs=(3, 7)), "two"), TINY),
    "states":      (lambda: network_of(STATES["SVDF"](random_of(3)), "kept"), BASE),
    "variables":   (lambda: network_of(stream_network(), "stream"), TINY),
    "uint8":       (lambda: network_of(byte_network(same=False), "bytes"), TINY),
    "factor":      (lambda: network_of(factor_network(40, 40, 20), "factor"), TINY),
    "factor small": (lambda: network_of(factor_network(60, 40, 20), "factor"), SMALL),
    "factor of 1": (lambda: network_of(factor_network(140, 140, 1), "factor"), TINY),
    "overwritten": (lambda: relus(TINY.x_bytes * 2 // 5, 3), TINY),
    "tiles":       (lambda: relus(TINY.x_bytes * 5 // 4, 2), TINY),
    "part by part": (wide, TINY),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_are_those_of_the_network(name):
    make, config = NETWORKS[name]
    network, config = make(), with_dma(config)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)


@pytest.mark.parametrize("name", ["cnn base", "tflite", "pool"])
def test_inputs_can_be_arrays_whatever_that_costs(name):
    make, config = NETWORKS[name]
    network, config = make(), with_dma(config)
    executable = compile_network(network, config)
    cheap, image = (build_image(executable, config, SHORT, arrays=arrays)
                    for arrays in (False, True))
    assert isinstance(cheap.places[0], WordPlace)
    assert image.places[0].is_array
    assert find_loads(cheap, 0) == [] != find_loads(image, 0)
    with noisy_machine(config) as device:
        run_image(network, image, device)


def test_a_state_comes_out_in_floating_point():
    network, config = network_of(held_network(), "held"), with_dma(TINY)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device, runs=3)


def deleted_orders(image):
    """Yield the image with one wait of its run list one lower, where no wait before implies it."""
    ordered = image.run.ordered
    most    = {True: 0, False: 0}
    for index, entry in enumerate(ordered.entries):
        is_run = isinstance(entry, RunEntry)
        count  = (ordered.moves if is_run else ordered.runs)[index]
        if count > most[is_run]:
            most[is_run] = count
            content = image.content.copy()
            place   = image.run.offset + 32 * index + 4
            waits   = content[place:place + 4].view("<u4")
            waits  -= 1 << 16 if is_run else 1
            yield index, replace(image, content=content)


@pytest.mark.parametrize("name", ["cnn base", "variables", "tiles", "part by part"])
def test_every_deleted_order_is_refused(name):
    make, config = NETWORKS[name]
    network, config = make(), with_dma(config)
    image, refused  = image_of(network, config), 0
    for index, damaged in deleted_orders(image):
        with noisy_machine(config) as device:
            runner = ImageRunner(damaged, device)
            runner.load()
            inputs = [blank.data for blank in network.inputs]
            with pytest.raises(HazardError) as caught:
                runner.run(*inputs)
        refused += 1
        assert index in (caught.value.entry, caught.value.other) or caught.value.entry > index
    assert refused >= 2


@pytest.mark.parametrize(("step", "sentence"), [
    (lambda number: Host(TAKE, (number, number), number), "has a host computation (take) between"),
    (lambda number: Host(COPY, (number,), number, (slice(0, 1),)), "(copy) between programs"),
    (lambda number: Write(number, WideScatter(Memory.Y, 0, np.zeros(2, np.int64))),
     "has states among its constants, which a transfer cannot write")])
def test_steps_that_no_transfer_replaces_are_refused(step, sentence):
    config     = with_dma(TINY)
    executable = compile_network(load_model(EXAMPLES / "digits_cnn.tflite"), config)
    executable = replace(executable, run=(*executable.run, step(executable.outputs[0])))
    with pytest.raises(InputError, match=re.escape(sentence)):
        build_image(executable, config, SHORT)

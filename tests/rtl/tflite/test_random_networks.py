# SPDX-License-Identifier: Apache-2.0
"""Random networks in RTL, as plans and as command lists: every layer is golden's."""

from contextlib import suppress

import pytest

from tests.host.plan.test_random_networks import draw, draw_mixed
from tests.rtl.test_illegal_lists import draw_memory
from tests.support.images import image_of, run_image
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from xymac.hdl.config import find_size
from xymac.host.errors import InputError, Refusal
from xymac.host.network.load import load_model
from xymac.host.tflite.writer import write_model

SIZES = ("tiny", "small", "base", "compact")
LISTS = "tiny,dma=32"


def run_plans(size, device, first, count, drawn):
    """Networks that ran, out of ``count``; see ``tests/host/plan`` for the refusals of others."""
    ran = 0
    for key in range(first, first + count):
        model, inputs = drawn(key)
        with suppress(Refusal):
            assert_model(find_size(size), model, *inputs, device=device)
            ran += 1
    return ran


def run_lists(device, first, count, drawn, folder):
    """The same for command lists, out of memories of any timing, with pauses."""
    ran, rng = 0, random_of([first, 63])
    for key in range(first, first + count):
        path = folder / f"{key}.tflite"
        path.write_bytes(write_model(drawn(key)[0]))
        network = load_model(path)
        try:
            image = image_of(network, device.config)
        except InputError:
            continue
        device.time_memory(draw_memory(rng))
        device.harness.disturb_memory(pauses=int(rng.choice([0, 30, 70])))
        run_image(network, image, device)
        ran += 1
    device.harness.disturb_memory()
    return ran


@pytest.mark.parametrize("drawn", [draw, draw_mixed])
@pytest.mark.parametrize("size", SIZES)
def test_plans(size, drawn, rtl):
    assert run_plans(size, rtl(size), 4000, 8, drawn) >= 5


@pytest.mark.parametrize("drawn", [draw, draw_mixed])
def test_lists(drawn, rtl, tmp_path):
    assert run_lists(rtl(LISTS), 4000, 6, drawn, tmp_path) >= 4


@pytest.mark.long
@pytest.mark.parametrize("drawn", [draw, draw_mixed])
@pytest.mark.parametrize("size", SIZES)
def test_many_plans(size, drawn, rtl):
    assert run_plans(size, rtl(size), 4100, 100, drawn) > 70


@pytest.mark.long
@pytest.mark.parametrize("drawn", [draw, draw_mixed])
def test_many_lists(drawn, rtl, tmp_path):
    assert run_lists(rtl(LISTS), 4100, 60, drawn, tmp_path) > 40

# SPDX-License-Identifier: Apache-2.0
"""Pixels side by side and inputs written as windows: the same results in all dialects, never later
than pixel by pixel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan, noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import between, each_core, each_size
from xymac import golden
from xymac.golden import mli1, mli2
from xymac.golden.tflm import Concatenation, Conv2d, DepthwiseConv2d, Padding, Reshape
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import Op
from xymac.host.device.device import MachineDevice
from xymac.host.lower.linear import loops, passes, written
from xymac.host.lower.linear.slide import can_slide
from xymac.host.memory.strips import StripLayout
from xymac.host.memory.windows import WindowLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan
from xymac.sim.benchmarks.quantised import affine_conv, deep_conv

from .test_tflm import predicted, scaled, tensor

IMAGE = 7, 9  #: Odd, so that pixels are left over.


def fixed_conv(kind, layout, rng, size, channels, outputs, *, kernel, stride, sides):
    """A convolution of MLI 1.x and its input."""
    held   = 1 if kind is mli1.DepthwiseConv2d else channels
    shape  = {mli1.Layout.HWC: (*kernel, held), mli1.Layout.CHW: (held, *kernel)}[layout]
    layer  = kind(noise(rng, (outputs, *shape), np.int8, 7), noise(rng, (outputs,), np.int8, 7), 3,
                  stride=stride, pad=sides, layout=layout)
    chw    = layout is mli1.Layout.CHW
    return layer, noise(rng, (channels, *size) if chw else (*size, channels), np.int8, 7)


def layer_of(dialect, rng, size, channels, outputs, *, kernel=(3, 3), stride=(1, 1),
             padding=Padding.SAME):
    """A convolution of a dialect, ``depthwise`` if outputs are channels, and its input."""
    sides = tuple(side for n in kernel for side in (
        ((n - 1) // 2, n // 2) if padding is Padding.SAME else (0, 0)))
    options = {"kernel": kernel, "stride": stride, "sides": sides}
    if dialect == "tflm":
        layer = scaled(rng, Conv2d, (outputs, *kernel, channels), (2.0**-7,), stride=stride,
                       padding=padding)
        return layer, tensor(rng, (2, *size, channels), zero=-9)
    if dialect == "tflm_depthwise":
        layer = scaled(rng, DepthwiseConv2d, (1, *kernel, channels), (2.0**-7,), stride=stride,
                       padding=padding)
        return layer, tensor(rng, (1, *size, channels), zero=99)
    if dialect == "mli1":
        return fixed_conv(mli1.Conv2d, mli1.Layout.CHW, rng, size, channels, outputs, **options)
    if dialect == "mli1_hwc":
        return fixed_conv(mli1.Conv2d, mli1.Layout.HWC, rng, size, channels, outputs, **options)
    if dialect == "mli1_depthwise":
        return fixed_conv(mli1.DepthwiseConv2d, mli1.Layout.CHW, rng, size, channels, channels,
                          **options)
    if dialect == "xs3":
        layer, x = deep_conv((outputs, *kernel, 4), (*size, 4), rng)
        return replace(layer, window=replace(layer.window, stride=stride, out=tuple(
            -(-n // step) for n, step in zip(size, stride, strict=True)))), x
    kind = mli2.DepthwiseConv2d if dialect == "mli2_depthwise" else mli2.Conv2d
    held = (1, channels) if kind is mli2.DepthwiseConv2d else (channels, outputs)
    layer, x = affine_conv(kind, (*kernel, *held), (*size, channels), rng)
    return replace(layer, stride=stride, pad=sides), x


DIALECTS = ["tflm", "tflm_depthwise", "mli1", "mli1_hwc", "mli1_depthwise", "mli2",
            "mli2_depthwise", "xs3"]


def plain_cycles(monkeypatch, config, layer, x, *, slides=True):
    """Cycles of a layer pixel by pixel, its input as well; depthwise kernels may slide or not."""
    with monkeypatch.context() as patch:
        patch.setattr(passes, "put_side_by_side", lambda linear, source, **_: linear)
        patch.setattr(passes, "written_forms", lambda *_: [])
        for module in (passes, loops):
            patch.setattr(module, "can_slide", lambda *_: slides and can_slide(*_))
        return predicted(Plan(config, [layer], x))


@pytest.mark.parametrize("dialect", DIALECTS)
@each_size
def test_layers_equal_golden_and_are_never_later(config, dialect, monkeypatch):
    """Of 1 to 8 channels and outputs; the model of the choice is off by a few cycles a pass."""
    rng = random_of([*dialect.encode()])
    for _ in range(8):
        channels, outputs = rng.choice([1, 2, 3, 4, 5, 8], 2).tolist()
        outputs = 4 * -(-outputs // 4) if dialect == "xs3" else outputs
        kernel, stride = rng.integers(1, 5, 2).tolist(), rng.integers(1, 3, 2).tolist()
        layer, x = layer_of(dialect, rng, IMAGE, channels, outputs, kernel=tuple(kernel),
                            stride=tuple(stride), padding=Padding(int(rng.integers(2))))

        run = assert_equals_golden(config, layer, x)

        count = len(run.plan.program)
        assert predicted(run.plan) <= plain_cycles(monkeypatch, config, layer, x) + 10 * count


@pytest.mark.parametrize(("dialect", "channels", "outputs", "options", "most"), [
    ("tflm", 1, 8, {"stride": (2, 2)}, 0.30), ("tflm", 3, 8, {"stride": (2, 2)}, 0.70),
    ("tflm", 8, 8, {}, 0.80), ("tflm", 4, 4, {}, 0.60), ("tflm_depthwise", 8, 8, {}, 0.70),
    ("tflm_depthwise", 4, 4, {}, 0.50), ("mli1", 1, 16, {"kernel": (5, 5)}, 0.45),
    ("mli2", 3, 8, {"stride": (2, 2)}, 0.70), ("mli1_depthwise", 8, 8, {}, 0.70),
    ("xs3", 4, 8, {}, 0.80)])
def test_idle_ways_and_lanes_are_used(dialect, channels, outputs, options, most, monkeypatch):
    layer, x = layer_of(dialect, random_of(3), (32, 32), channels, outputs, **options)

    run = assert_equals_golden(BASE, layer, x)

    assert predicted(run.plan) < most * plain_cycles(monkeypatch, BASE, layer, x, slides=False)


@pytest.mark.parametrize(("channels", "kernel", "most"), [
    (8, (3, 3), 0.62), (4, (3, 3), 0.41), (4, (4, 5), 0.41)])
def test_pixels_side_by_side_slide_down_the_rows(channels, kernel, most, monkeypatch):
    """A slide along the columns takes an output a pixel."""
    layer, x = layer_of("mli1_depthwise", random_of(7), (29, 31), channels, channels,
                        kernel=kernel)

    run = assert_equals_golden(BASE, layer, x)

    inner = run.plan.program[-1]
    assert (inner.accumulate.op, inner.loop.outer[2]) == (Op.SLIDE, run.output.shape[1])
    assert predicted(run.plan) < most * plain_cycles(monkeypatch, BASE, layer, x)


@pytest.mark.parametrize("config", [TINY, between(SMALL), BASE], ids=lambda config: config.name)
def test_dilated_layers(config):
    """Windows lie written, dilated too; pixels side by side are not dilated along columns."""
    rng = random_of(4)
    for dilation in ((2, 1), (1, 2), (3, 3)):
        layer = scaled(rng, Conv2d, (6, 3, 3, 3), (2.0**-7,), dilation=dilation,
                       padding=Padding.SAME)
        assert_equals_golden(config, layer, tensor(rng, (2, *IMAGE, 3), zero=7))


def test_the_core_lays_what_it_gets_in_order():
    """In the order of the user's arrays, or with another reader, an input has no windows."""
    layer, x = layer_of("mli1", random_of(5), IMAGE, 1, 16, kernel=(5, 5))
    twice    = Plan(BASE, [Node(layer, (0,)), Node(layer, (0,))], x)

    packed  = Plan(BASE, [layer], x)
    ordered = Plan(BASE, [layer], x, c_order=True)

    assert isinstance(packed.source, WindowLayout)
    assert not isinstance(ordered.source, WindowLayout)
    assert not isinstance(twice.source, WindowLayout)
    assert not any(isinstance(step.sources[0], WindowLayout) for step in ordered.steps)
    assert predicted(packed) < predicted(ordered)


def test_less_room_takes_fewer_groups():
    """All taps of a window side by side are the fastest, those of a row next, and then pixels."""
    rng   = random_of(6)
    layer = scaled(rng, Conv2d, (64, 9, 9, 1), (2.0**-7,))

    def groups(size):
        return Plan(BASE, [layer], tensor(rng, (1, size, size, 1))).source.groups

    assert groups(18) == 10 * 10 * 21
    assert groups(34) == 34 * 26 * 3
    assert groups(38) == 38 * 38
    assert_equals_golden(BASE, layer, tensor(rng, (1, 34, 34, 1), zero=-128))


@pytest.mark.parametrize(("channels", "stride", "kernel", "padding"), [
    (3, 2, 3, Padding.SAME), (3, 2, 5, Padding.SAME), (1, 2, 4, Padding.SAME),
    (6, 2, 3, Padding.SAME), (1, 4, 8, Padding.SAME), (3, 4, 5, Padding.SAME),
    (5, 4, 3, Padding.VALID), (2, 2, 3, Padding.VALID)])
def test_rows_of_an_image_as_they_are(channels, stride, kernel, padding, monkeypatch):
    """Windows across vectors of whole rows: no element is written twice, none beside the image."""
    def dense_forms(linear, x, ways):
        forms = (written._dense(linear, x, count, ways) for count in range(1, 5))
        return [form for form in forms if form is not None]

    monkeypatch.setattr(written, "_forms", dense_forms)
    monkeypatch.setattr(written, "strip_forms", lambda *_: [])
    rng   = random_of([channels, stride, kernel])
    layer = scaled(rng, Conv2d, (4, kernel, kernel, channels), (2.0**-7,), stride=(stride, stride),
                   padding=padding)
    for count in (1, 2):
        x   = tensor(rng, (count, 24, 32, channels), zero=9)
        run = assert_equals_golden(BASE, layer, x)
        assert isinstance(run.plan.source, WindowLayout)
        assert 4 * run.plan.source.groups == x.data.size


def test_writing_an_element_again_takes_time_as_well():
    """Seven steps instead of nine are faster for 64 outputs, but not for 16."""
    rng  = random_of(9)
    x    = tensor(rng, (1, 20, 20, 3))
    few, many = (Plan(BASE, [scaled(rng, Conv2d, (outputs, 3, 3, 3), (2.0**-7,))], x)
                 for outputs in (16, 64))

    assert few.source.groups == 20 * 20
    assert many.source.groups == 18 * 18 * 7


def test_an_input_in_another_shape():
    """A row of elements is the image: it is written as windows, and read back as a row."""
    rng    = random_of(7)
    reshape = Reshape((1, 10, 12, 1))
    layer  = scaled(rng, Conv2d, (8, 3, 3, 1), (2.0**-7,), padding=Padding.SAME)
    x      = tensor(rng, (1, 120), zero=-4)

    plan = assert_plan(BASE, [reshape, layer], x, keep=True)

    assert isinstance(plan.source, WindowLayout)
    assert plan.steps[0].kept
    assert len(plan.program) == 1


@each_core
def test_a_layer_behind_another_reads_pixels(config):
    rng    = random_of(8)
    layers = [scaled(rng, Conv2d, (outputs, 3, 3, held), (2.0**-7,), padding=Padding.SAME)
              for held, outputs in ((3, 2), (2, 3), (3, 5))]

    plan = assert_plan(config, layers, tensor(rng, (1, *IMAGE, 3), zero=-7))

    layouts = [step.sources[0] for step in plan.steps[1:]]
    assert all(isinstance(layout, StripLayout) or not isinstance(layout, WindowLayout)
               for layout in layouts)


@pytest.mark.parametrize(("channels", "shared"), [(8, True), (3, True), (3, False), (1, False)])
def test_outputs_that_are_joined(channels, shared):
    """Channels of both layers lie side by side, so the pixels of one do not."""
    rng    = random_of((channels, shared))
    layers = [scaled(rng, Conv2d, (8, 3, 3, channels), (2.0**-7,), padding=Padding.SAME)
              for _ in range(2)]
    images = [tensor(rng, (1, *IMAGE, channels), zero=5) for _ in range(2 - shared)]
    first  = len(images)
    nodes  = [Node(layers[0], (0,)), Node(layers[1], (first - 1,)),
              Node(Concatenation(3, layers[0].out), (first, first + 1))]
    parts  = [golden.run(layer, image).output for layer, image in zip(
        layers, (images[0], images[-1]), strict=True)]
    wanted = np.concatenate([part.data for part in parts], axis=3)

    plan = Plan(BASE, nodes, *images)
    with MachineDevice(BASE) as device:
        fill(device, seed=1)
        plan.load(device)
        run = plan.run(device, *images)

    np.testing.assert_array_equal(run.output.data, wanted)

# SPDX-License-Identifier: Apache-2.0
"""Depthwise devices whose output channels read other input channels: the report says which."""

from dataclasses import replace

import numpy as np
import pytest

from .devices import cases_of, explain

DEPTH = ("depthwise_conv2d", "tflm", "int8")


def reading(move):
    """A device whose output channels read the input channels ``move(outputs, inputs)``."""
    def device(case):
        x     = case.inputs[0]
        order = move(np.arange(case.shape[-1]), x.shape[-1])
        return replace(case, inputs=(replace(x, data=x.data[..., order]),)).expected()
    return device


@pytest.mark.parametrize(("move", "words"), [
    (lambda outputs, inputs: outputs % inputs, "of its own number modulo the input channels"),
    (lambda outputs, inputs: np.minimum(outputs, inputs - 1), "at most the last one"),
    (lambda outputs, inputs: 0 * outputs, "every output channel reads input channel 0")])
def test_input_channel_of_an_output_channel(move, words):
    cases = cases_of(*DEPTH)

    verdict = explain(cases, [reading(move)(case) for case in cases])

    assert words in verdict.sentence
    assert verdict.where.endswith(words)


def test_the_division_by_the_multiplier_is_right():
    cases = cases_of(*DEPTH)

    def right(case):
        step = case.shape[-1] // case.inputs[0].shape[-1]
        return reading(lambda outputs, inputs: outputs // step)(case)

    assert explain(cases, [right(case) for case in cases]).equal

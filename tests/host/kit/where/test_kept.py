# SPDX-License-Identifier: Apache-2.0
"""Devices that keep sums or states from case to case: the report says so."""

from dataclasses import replace

import numpy as np
import pytest

from xymac import golden
from xymac.host.kit.libraries import sums_of
from xymac.host.kit.model import compute

from .devices import cases_of, explain

LEFT = "the first sum of a case starts from the last sum of the case before"


class Lanes:
    """Accumulators that are not cleared between cases; ``by`` gives the lane of each output."""

    def __init__(self, lanes, by):
        self.held, self.by = np.zeros(lanes, np.int64), by

    def __call__(self, case):
        places = np.arange(np.prod(case.shape))
        sums   = sums_of(case, places)
        lanes  = self.by(places, case.shape[-1]) % len(self.held)
        added  = np.zeros_like(places)
        _, first = np.unique(lanes, return_index=True)
        added[first] = self.held[lanes[first]]
        final = sums.total + sums.bias + added
        for lane, value in zip(lanes, final, strict=True):
            self.held[lane] = (value + 2 ** 31) % 2 ** 32 - 2 ** 31
        return compute(sums.narrowing, replace(sums, bias=sums.bias + added)).reshape(case.shape)


@pytest.mark.parametrize("operation", ["fully_connected", "conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize(("lanes", "names", "by"), [
    (8, "elements", lambda places, channels: places),
    (4, "channels", lambda places, channels: places % channels)])
def test_sums_of_lanes(operation, lanes, names, by):
    cases  = cases_of(operation)
    device = Lanes(lanes, by)

    verdict = explain(cases, [device(case) for case in cases])

    assert f"in each of {lanes} lanes, " in verdict.sentence
    assert verdict.where.endswith(LEFT)
    assert f"{names} modulo" in verdict.sentence or operation == "fully_connected"


def test_a_single_accumulator_has_no_lanes():
    cases  = cases_of("conv2d")
    device = Lanes(1, lambda places, channels: places)

    verdict = explain(cases, [device(case) for case in cases])

    assert verdict.where.endswith(f"cases {LEFT}")


def test_first_outputs_of_lanes_that_are_wrong_otherwise():
    cases   = cases_of("fully_connected")
    results = [case.expected() for case in cases]
    for result in results[1:]:
        result.flat[:8] ^= 1

    assert LEFT not in explain(cases, results).sentence


CELLS = [("lstm", "mli-1", "fx16"), ("rnn", "mli-1", "fx8"), ("lstm", "mli-2", "sa8"),
         ("gru", "mli-2", "fx16"), ("lstm", "tflm", "int8"), ("svdf", "tflm", "int8")]


def last_states(layer, result):
    """{field: last state} of a call."""
    if hasattr(layer, "following"):
        layer = layer.following(result)
        return {name: getattr(layer, name).data for name in ("state", "cell")
                if hasattr(layer, name)}
    flat = np.asarray(result.output.data).reshape(-1)
    last = {name: flat[-state.data.size:].reshape(state.shape) for name in ("h", "state")
            if (state := getattr(layer, name, None)) is not None}
    return last | ({"cell": result.cell.data} if hasattr(layer, "cell") else {})


def with_memory(fields, load):
    """A recurrent device whose states start as ``load(field, held states by case, own state)``."""
    held = []

    def device(case):
        layer = case.layer
        own   = {name: getattr(layer, name) for name in fields if hasattr(layer, name)}
        first = {name: replace(state, data=load(name, held, state.data).reshape(
            state.shape).astype(state.data.dtype)) for name, state in own.items()}
        result = golden.run(replace(layer, **first), *case.inputs)
        held.append(last_states(layer, result))
        return np.asarray(result.output.data)
    return device


def from_shape(name, held, own):
    """The last state of the same shape."""
    return next((each[name] for each in held[::-1] if each[name].shape == own.shape), own)


def from_memory(name, held, own):
    """What is left in a memory, at first 0."""
    memory = np.zeros(1 << 12, np.int64)
    for each in held:
        memory[:each[name].size] = each[name].reshape(-1)
    return memory[:own.size]


@pytest.mark.parametrize("kind", CELLS, ids=" ".join)
@pytest.mark.parametrize(("fields", "load", "words"), [
    (("h", "state", "cell"), from_memory,
     "the layer starts from the state that earlier cases left in its memory, at first 0"),
    (("h", "state", "cell"), from_shape,
     "the layer starts from the state that the last case with the same shape left")])
def test_states_of_earlier_cases(kind, fields, load, words):
    cases  = cases_of(*kind)
    device = with_memory(fields, load)

    verdict = explain(cases, [device(case) for case in cases])

    assert words in verdict.sentence


def test_only_the_cell_state_is_kept():
    cases  = cases_of("lstm", "mli-1", "fx16")
    device = with_memory(("cell",), from_memory)

    verdict = explain(cases, [device(case) for case in cases])

    assert "starts from the cell state that earlier cases left" in verdict.sentence


@pytest.mark.parametrize("kind", CELLS, ids=" ".join)
def test_a_state_of_0_is_not_kept(kind):
    cases  = cases_of(*kind)
    device = with_memory(("h", "state", "cell"), lambda name, held, own: 0 * own)

    verdict = explain(cases, [device(case) for case in cases])

    assert "earlier cases" not in verdict.sentence
    assert "same shape" not in verdict.sentence

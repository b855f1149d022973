# SPDX-License-Identifier: Apache-2.0
"""Curves of straight lines, and softmax of short exponentials: the report says which."""

import re
from functools import partial

import numpy as np
import pytest

from xymac.host.kit.floats.curves import exact_curve, nearest, real_of, step_of, summed_axes

from .devices import cases_of, explain

TFLM  = ("tflm", "int8")
KINDS = [TFLM, ("tflm", "int16"), ("mli-1", "fx8"), ("mli-1", "fx16"), ("mli-2", "sa8"),
         ("mli-2", "fx16")]


def drawn_of(curve, case):
    """A curve of real numbers in the output's steps, rounded."""
    step, zero = step_of(case)
    return nearest(curve(real_of(case.inputs[0])) / step + zero, case.dtype)


def plan(x):
    """Piecewise linear approximation of the sigmoid, by powers of 2."""
    size  = np.abs(x)
    value = np.select([size >= 5, size >= 2.375, size >= 1],
                      [np.ones_like(x), size / 32 + 0.84375, size / 8 + 0.625], size / 4 + 0.5)
    return np.where(x < 0, 1 - value, value)


def joined(x):
    """The tangent between a few of its values."""
    knots = np.array([-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4])
    return np.interp(x, knots, np.tanh(knots))


CURVES = [
    ("sigmoid", lambda x: np.clip(x / 4 + 0.5, 0, 1), (0, 0.25, 0), (-2, 2)),
    ("sigmoid", lambda x: np.clip(x / 5 + 0.5, 0, 1), (0, 0.2, 0), (-2.5, 2.5)),
    ("sigmoid", plan, (0, 0.031, 0.125, 0.25, 0.125, 0.031, 0), (-5, -2.4, -1, 1, 2.4, 5)),
    ("tanh", lambda x: np.clip(x, -1, 1), (0, 1, 0), (-1, 1))]


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
@pytest.mark.parametrize(("operation", "curve", "slopes", "bends"), CURVES)
def test_lines_of_a_curve(kind, operation, curve, slopes, bends):
    if curve is plan and kind == ("tflm", "int16"):  # whose arguments lie closer than 4,000 show
        return
    cases = cases_of(operation, *kind)

    verdict = explain(cases, [drawn_of(curve, case) for case in cases])
    said    = re.search(r"the curve consists of straight lines, with slopes of about (.+), and "
                        r"bends at about (.+)$", verdict.where)
    numbers = [[float(number) for number in part.split(", ")] for part in said.groups()]

    assert numbers[0] == pytest.approx(slopes, abs=0.02)
    assert numbers[1] == pytest.approx(bends, abs=0.35)
    assert "no rules" not in verdict.sentence


def test_lines_between_values_of_the_tangent():
    cases = cases_of("tanh", *TFLM)

    assert "the curve consists of straight lines" in explain(
        cases, [drawn_of(joined, case) for case in cases]).where


def clipped(most, case):
    return np.minimum(case.expected(), most)


def noisy(case):
    rng = np.random.default_rng(case.inputs[0].data.size)
    return np.where(rng.random(case.shape) < 0.05, case.expected() ^ 4, case.expected())


def late(case):
    x = real_of(case.inputs[0])
    step, zero = step_of(case)
    value = np.tanh(x - 0.2) if case.operation == "tanh" else (1 + np.tanh(x / 2 - 0.1)) / 2
    return nearest(value / step + zero, case.dtype)


@pytest.mark.parametrize("operation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("device", [partial(clipped, 100), noisy, late])
def test_other_curves_are_no_lines(operation, device):
    cases = cases_of(operation, *TFLM)

    assert "straight lines" not in explain(cases, [device(case) for case in cases]).sentence


def shares(one, half, other, case):
    """Softmax of integer exponentials, and a division of integers."""
    x      = real_of(case.inputs[0]) * getattr(case.layer, "beta", 1.0)
    axes   = summed_axes(case, x.ndim)
    powers = np.floor(np.exp(x - x.max(axis=axes, keepdims=True)) * one + half).astype(np.int64)
    step, zero = step_of(case)
    total  = powers.sum(axis=axes, keepdims=True)
    values = (2 * powers * round(1 / step) + total * other) // (2 * total) + zero
    ends   = np.iinfo(case.dtype)
    return np.clip(values, ends.min, ends.max).astype(case.dtype)


@pytest.mark.parametrize("kind", [TFLM, ("tflm", "int16"), ("mli-1", "fx8"), ("mli-2", "sa8")],
                         ids=" ".join)
@pytest.mark.parametrize(("one", "half", "other", "words"), [
    (255, 0.5, 1, "rounded to integers of 8 bits, with 255 for 1, and the quotients are rounded"),
    (255, 0, 0, "cut to integers of 8 bits, with 255 for 1, and the quotients are cut"),
    (127, 0.5, 0, "rounded to integers of 7 bits, with 127 for 1, and the quotients are cut")])
def test_short_exponentials(kind, one, half, other, words):
    cases = cases_of("softmax", *kind)

    verdict = explain(cases, [shares(one, half, other, case) for case in cases])

    assert f"the exponentials are {words}" in verdict.sentence


def test_short_exponentials_with_errors_of_the_division():
    cases   = cases_of("softmax", *TFLM)
    results = [shares(255, 0.5, 1, case) for case in cases]
    for number, result in enumerate(results):
        result.flat[0] = np.clip(int(result.flat[0]) + number % 2, -128, 127)

    assert ("the exponentials are rounded to integers of 8 bits, with 255 for 1, and the quotients "
            "have errors of up to a step") in explain(cases, results).sentence


def test_an_exact_softmax_has_no_short_exponentials():
    cases = cases_of("softmax", *TFLM)

    for change in (0, 0.4, -0.5):
        results = [nearest(exact_curve(case) + change, case.dtype) for case in cases]
        assert "exponentials" not in explain(cases, results).sentence

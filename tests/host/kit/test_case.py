# SPDX-License-Identifier: Apache-2.0
"""What a case gives to a device: operands of all of it, or of one output after the other."""

import numpy as np
import pytest

from tests.support.naive.kit import rounded
from xymac.golden.tflm.curves import interpolate
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.requantise import Requantise
from xymac.host.kit.rounding import Rounding
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.networks import SHIPPED_NETWORKS, network_cases

KINDS = [("requantise", "tflm", "int16"), ("conv2d", "mli-1", "fx8w16d"),
         ("add", "mli-2", "sa8"), ("fully_connected", "xs3", "int16"),
         ("softmax", "tflm", "int16")]


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_shape_and_type_are_those_of_the_result(kind):
    for case in generate(Supports(*kind), 6).cases:
        assert (case.shape, case.dtype) == (case.expected().shape, case.expected().dtype)


def test_shape_and_type_of_a_network():
    [case, *_] = network_cases(Supports("network", "tflm"), SHIPPED_NETWORKS["tflm"], 1, 0)
    assert (case.shape, case.dtype) == (case.expected().shape, np.int8)


def test_elements_of_a_requantiser_have_what_is_of_their_channel():
    unit = Requantise("tflm", (1 << 30, 3 << 29), (0, -2), zero_point=4, low=-100)
    case = Case("requantise", "tflm", "four", unit, (np.array([[5, 6], [7, 8]], np.int32),))

    elements = list(case.elements)

    common = {"out_zero": 4, "low": -100, "high": 127}
    assert elements == [
        {"acc": acc, "multiplier": (1 << 30, 3 << 29)[place], "shift": (0, -2)[place]} | common
        for acc, place in ((5, 0), (6, 1), (7, 0), (8, 1))]
    assert all(type(value) is int for each in elements for value in each.values())


@pytest.mark.parametrize("kind", [("add", "tflm", "int8"), ("relu", "mli-1", "fx16")])
def test_elements_of_tensors_come_in_their_order(kind):
    for case in generate(Supports(*kind), 6).cases:
        operands, elements = case.operands, list(case.elements)
        for name in {"x", "z"} & operands.keys():
            assert [each[name] for each in elements] == operands[name].ravel().tolist()


def scale(value, multiplier, shift):
    """A factor of 31 bits, rounded as tflite-micro does."""
    return rounded(rounded((value << max(shift, 0)) * multiplier, 31, Rounding.UP),
                   max(-shift, 0), Rounding.AWAY)


@pytest.mark.parametrize(("operation", "sign"), [("add", 1), ("sub", -1)])
def test_elements_of_a_sum_are_enough(operation, sign):
    for case in generate(Supports(operation, "tflm"), 12).cases:
        wanted = case.expected().ravel().tolist()
        for given, want in zip(case.elements, wanted, strict=True):
            parts = [scale(given[name] - given[f"{name}_zero"] << given["left_shift"],
                           given[f"{name}_multiplier"], given[f"{name}_shift"]) for name in "xz"]
            value = scale(parts[0] + sign * parts[1], given["multiplier"], given["shift"])
            value += given["out_zero"]
            assert max(given["low"], min(given["high"], value)) == want, case.name


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_elements_of_relu_are_enough(kind):
    for case in generate(Supports("relu", "tflm", kind), 12).cases:
        for given, want in zip(case.elements, case.expected().ravel().tolist(), strict=True):
            value = scale(given["x"] - given["x_zero"], given["multiplier"], given["shift"])
            value += given["out_zero"]
            assert max(given["low"], min(given["high"], value)) == want, case.name


@pytest.mark.parametrize("operation", ["sigmoid", "tanh"])
def test_elements_of_curves_with_tables_are_enough(operation):
    curve, shifts = getattr(interpolate, operation), set()
    for case in generate(Supports(operation, "tflm", "int16"), 12).cases:
        given = case.operands
        shifts.add(given["shift"])
        values = curve(given["x"].astype(np.int64), given["multiplier"], -given["shift"])
        assert np.array_equal(values, case.expected()), case.name
    assert len(shifts) > 2


@pytest.mark.parametrize(("operation", "kind", "bits"), [
    ("sigmoid", "int8", 27), ("tanh", "int8", 27), ("softmax", "int8", 26),
    ("softmax", "int16", np.log2(6553.5))])
def test_factors_of_curves_are_those_of_the_input(operation, kind, bits):
    for case in generate(Supports(operation, "tflm", kind), 12).cases:
        given  = case.operands
        factor = given["multiplier"] / 2.0 ** (31 - given["shift"])
        end    = given.get("radius", -given.get("least", 0))
        assert factor == pytest.approx(case.inputs[0].quantisation.scale * 2.0 ** bits, rel=1e-8)
        if kind == "int8":
            assert end == (15 << 27 if operation != "softmax" else 31 << 26) >> given["shift"]


@pytest.mark.parametrize("kind", [("conv2d", "tflm", "int8"), ("softmax", "tflm", "int8"),
                                  ("max_pool", "mli-1", "fx8")])
def test_windows_and_rows_have_no_elements(kind):
    [case] = generate(Supports(*kind), 1).cases

    with pytest.raises(ValueError, match=f"Outputs of {kind[0]} of {kind[1]} need more than one"):
        list(case.elements)

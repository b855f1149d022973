# SPDX-License-Identifier: Apache-2.0
"""Limits that are relations, limits of every channel, and values that only a limit asks for."""

import re

import numpy as np
import pytest

from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.facts import facts_of
from xymac.host.kit.limits import find_excess
from xymac.host.kit.operands import operands_of
from xymac.host.kit.operations import DIALECTS
from xymac.host.kit.stimuli.generate import generate


def cases_of(operation, limits, count=30, dialect="tflm"):
    return generate(Supports(operation, dialect, limits=limits), count)


def test_a_function_binds_what_it_names():
    stimuli = cases_of("requantise", {"low": lambda low, output_zero: low == output_zero})
    facts   = [facts_of(case) for case in stimuli.cases]

    assert all(each["low"] == each["output_zero"] for each in facts)
    assert len({each["low"] for each in facts}) > 3
    assert stimuli.left_out["low"]


def test_functions_and_values_bind_together():
    limits = {"stride_height": lambda stride_height, stride_width: stride_height == stride_width,
              "height": range(5, 9)}
    facts  = [facts_of(case) for case in cases_of("conv2d", limits).cases]

    assert {each["stride_height"] for each in facts} == {1, 2, 3}
    assert all(each["stride_height"] == each["stride_width"] for each in facts)
    assert all(5 <= each["height"] <= 8 for each in facts)


@pytest.mark.parametrize("limit", [range(-3, 0), lambda shift: -3 <= shift < 0])
def test_every_channel_is_bound(limit):
    cases = cases_of("requantise", {"shift": limit}, 60).cases

    assert {shift for case in cases for shift in case.operands["shift"]} <= {-3, -2, -1}
    assert any(len(case.operands["shift"]) > 1 for case in cases)


def test_a_channel_beyond_the_limit_is_named():
    case    = next(case for case in cases_of("requantise", {}, 60).cases
                   if len(set(case.operands["shift"])) > 1)
    first   = case.operands["shift"][0]
    support = Supports("requantise", "tflm", limits={"shift": (first,)})

    assert find_excess(support, case) == ("shift", min(set(case.operands["shift"]) - {first}))


def test_multipliers_of_every_channel_are_bound():
    limits = {"multiplier": lambda multiplier: multiplier % (1 << 15) == 0}

    cases = cases_of("requantise", limits, 20).cases

    assert all(np.mod(case.operands["multiplier"], 1 << 15).max() == 0 for case in cases)


@pytest.mark.parametrize(("operation", "limits"), [
    ("conv2d", {"channels": (6, 11)}), ("conv2d", {"kernel_height": (4, 7), "height": (10, 14)}),
    ("requantise", {"low": (-100,), "high": (90,)}),
    ("fully_connected", {"channels": range(20, 31)}), ("requantise", {"output_zero": (17, -90)})])
def test_values_that_are_not_in_our_lists_are_drawn(operation, limits):
    facts = [facts_of(case) for case in cases_of(operation, limits, 40).cases]

    for quantity, limit in limits.items():
        values = {each[quantity] for each in facts}
        assert values <= set(limit)
        assert len(values) >= min(len(limit), 4)


@pytest.mark.parametrize(("limits", "words"), [
    ({"low": lambda: True}, "must take quantities, such as low, not nothing"),
    ({"low": lambda low, zero: low == zero}, "must take quantities, such as low, not zero"),
    ({"size": lambda low: low}, "no quantity 'size'"),
    ({"low": 5}, "must be a range, a tuple, a set or a function, not 5"),
    ({"low": {3: 4}}, "must be a range, a tuple, a set or a function, not {3: 4}"),
    ({"low": b"ab"}, "must be a range, a tuple, a set or a function, not b'ab'"),
    ({"channels": ("3",)}, "The values of channels must be ints, not '3'"),
    ({"channels": (8, 3.0)}, "The values of channels must be ints, not 3.0"),
    ({"channels": {None}}, "The values of channels must be ints, not None"),
    ({"channels": [True]}, "The values of channels must be ints, not True"),
    ({"bias": (1,)}, "The values of bias must be none or zero or other, not 1"),
    ({"bias": ("non",)}, "The values of bias must be none or zero or other, not 'non'"),
    ({"scales": (2,)}, "The values of scales must be 1 or each output, not 2"),
    ({"layout": range(3)}, "The values of layout must be CHW or HWC, not 0"),
    ({"rounding": (None,)}, "The values of rounding must be words, not None"),
    ({"shape": (3,)}, "The values of shape must be tuples of sizes from 1 on, such as"),
    ({"shape": ((2, 0),)}, "The values of shape must be tuples of sizes from 1 on, such as")])
def test_what_is_no_limit_is_refused(limits, words):
    with pytest.raises(InputError, match=re.escape(words)):
        Supports("requantise", "tflm", limits=limits)


def test_a_relation_that_never_holds_leaves_no_case():
    with pytest.raises(InputError, match="leave no case"):
        cases_of("requantise", {"low": lambda low: low > 200})


@pytest.mark.parametrize(("operation", "limits", "words"), [
    ("requantise", {"low": lambda low: low > 200, "channels": (3,)},
     "no case with low within its function"),
    ("conv2d", {"height": range(1, 4), "channels": (0,)}, "no case with channels of 0"),
    ("add", {"output_zero": range(300, 311, 5)},
     "no case with output_zero of 300 to 310 in steps of 5"),
    ("requantise", {"channels": (3,), "low": (5,), "high": (3,)},
     "no case with low of 5 and high of 3"),
    ("conv2d", {"kernel_height": (5,), "height": (2,), "padding": (0,), "channels": (8,)},
     "there are cases without the limit of kernel_height or of height or of padding")])
def test_limits_that_leave_no_case_are_named(operation, limits, words):
    with pytest.raises(InputError, match=f"leave no case: .* draws had none; .*{words}$"):
        cases_of(operation, limits)


@pytest.mark.parametrize(("operation", "dialect", "quantity"), [
    ("conv2d", "mli-2", "stride_height"), ("max_pool", "tflm", "stride_width"),
    ("fully_connected", "mli-2", "outputs"), ("depthwise_conv2d", "mli-2", "channels"),
    ("requantise", "xs3", "channels"), ("transpose", "tflm", "dimensions"),
    ("transpose", "mli-2", "dimensions"), ("lstm", "mli-1", "steps")])
def test_sizes_below_1_are_never_drawn(operation, dialect, quantity):
    kind = DIALECTS[dialect][0]
    for limit in (range(-2, 4), range(3, -3, -1), (-1, 0, 3), {0, 2}):
        cases = generate(Supports(operation, dialect, kind, {quantity: limit}), 8).cases
        assert {facts_of(case)[quantity] for case in cases} <= {*range(1, 4)} & {*limit}

    with pytest.raises(InputError, match=f"leave no case: .* with {quantity} of 0$"):
        generate(Supports(operation, dialect, kind, {quantity: (0,)}), 1)


@pytest.mark.parametrize(("operation", "dialect"), [
    ("transpose", "tflm"), ("slice", "mli-1"), ("concatenate", "mli-2"), ("pad", "tflm")])
def test_ranks_above_4_are_never_drawn(operation, dialect):
    kind  = DIALECTS[dialect][0]
    cases = generate(Supports(operation, dialect, kind, {"dimensions": range(3, 30)}), 8).cases
    assert {facts_of(case)["dimensions"] for case in cases} == {3, 4}

    with pytest.raises(InputError, match=r"leave no case: .* with dimensions of 20$"):
        generate(Supports(operation, dialect, kind, {"dimensions": (20,)}), 1)


def test_shapes_of_moves_are_a_limit():
    shapes = ((2, 3, 4, 5), (7, 2))

    found = {facts_of(case)["shape"] for case in cases_of("pad", {"shape": shapes}).cases}

    assert found == set(shapes)


@pytest.mark.parametrize("operation", [
    "conv2d", "depthwise_conv2d", "average_pool", "max_pool", "fully_connected", "lstm", "svdf"])
def test_several_images_are_drawn_for_a_limit(operation):
    support = Supports(operation, "tflm", "int8", {"batches": (2, 3)})

    cases = generate(support, 12).cases

    assert {facts_of(case)["batches"] for case in cases} == {2, 3}
    assert all(case.shape.count(facts_of(case)["batches"]) for case in cases)


def test_one_image_is_drawn_without_a_limit():
    assert {facts_of(case)["batches"] for case in cases_of("conv2d", {}).cases} == {1}


@pytest.mark.parametrize("dialect", ["tflm int8", "mli-2 sa8"])
@pytest.mark.parametrize(("limits", "wanted"), [
    ({}, {(1, 1), (2, 2), (1, 2), (2, 1)}), ({"dilation": (1,)}, {(1, 1)}),
    ({"dilation_height": (1,)}, {(1, 1), (1, 2)}),
    ({"dilation_width": lambda dilation_width, dilation_height: dilation_width == dilation_height},
     {(1, 1), (2, 2)}), ({"dilation": (3,)}, {(3, 3), (1, 3), (3, 1)})],
    ids=["all", "one", "width", "equal", "three"])
def test_dilations_of_each_direction(dialect, limits, wanted):
    support = Supports("conv2d", *dialect.split(), limits)

    cases = generate(support, 60).cases

    assert {operands_of(case)["dilation"] for case in cases} == wanted


def test_a_function_that_raises_is_a_sentence():
    support = Supports("add", "tflm", "int8", {
        "channels": lambda channels: 1 // (channels - channels)})

    with pytest.raises(InputError, match="function that limits channels raised ZeroDivisionError"):
        generate(support, 2)


#: Limits of devices with one shape, and with relations, that cases with long sums do not keep.
NARROW = [
    {"height": (8,), "width": (8,), "channels": (4,), "outputs": (8,), "kernel_height": (3,),
     "kernel_width": (3,), "stride_height": (1,), "stride_width": (1,), "dilation": (1,),
     "padding": (1,)},
    {"height": lambda height, width: height == width, "shift": range(-20, 1),
     "stride_height": lambda stride_height, stride_width: stride_height == stride_width,
     "outputs": lambda outputs, channels: outputs == channels}]


@pytest.mark.parametrize("limits", NARROW, ids=["shape", "relations"])
@pytest.mark.parametrize("kind", [("tflm", "int8"), ("mli-1", "fx8"), ("mli-2", "sa8")],
                         ids=" ".join)
def test_narrow_limits_leave_cases(kind, limits):
    given   = limits if kind[0] == "tflm" else {
        name: limit for name, limit in limits.items() if name not in ("shift", "dilation")}
    support = Supports("conv2d", *kind, given)

    cases = generate(support, 30).cases

    assert len(cases) == 30
    assert not any(find_excess(support, case) for case in cases)


def test_limits_are_a_dict():
    with pytest.raises(InputError, match="limits of add tflm int8 must be a dict"):
        Supports("add", "tflm", "int8", ("channels",))


def test_ints_of_numpy_are_values():
    support = Supports("add", "tflm", "int8", {"channels": set(np.arange(3, 5))})
    assert {facts_of(case)["channels"] for case in generate(support, 6).cases} <= {3, 4}

# SPDX-License-Identifier: Apache-2.0
"""Narrow accumulators and biases: the default run of 100 cases shows each of them."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from tests.support.seed import SEED
from xymac.golden.fixed import container, wrap
from xymac.host.kit.cells import run_cell
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.groups import gather
from xymac.host.kit.libraries import sums_of
from xymac.host.kit.model import compute, run
from xymac.host.kit.report.coverage import cover, list_missed
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import Rule, When
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.reach import EVERY, WAYS
from xymac.host.kit.stimuli.tasks import Task

CASES = 100
LEAST = 16
STEP  = 1 if SEED.thorough else 3  #: Between the widths that are tried, from the widest down.
#: Bits of the widest accumulator that can be too narrow, by type: sums do not get larger.
_WEIGHTS = {("tflm", "int8"): 31, ("tflm", "int16"): 39, ("mli-1", "fx8"): 31,
            ("mli-1", "fx16"): 39, ("mli-1", "fx8w16d"): 31, ("mli-2", "sa8"): 31,
            ("mli-2", "fx16"): 39, ("mli-2", "fx16_fx8_fx8"): 31, ("xs3", "int8"): 31}
#: Windows of the library end here: of 2**17 elements in TensorFlow Lite, fewer in others.
_POOLS   = {("tflm", "int8"): 24, ("tflm", "int16"): 31, ("mli-1", "fx8"): 16,
            ("mli-1", "fx16"): 24, ("mli-2", "sa8"): 19, ("mli-2", "fx8"): 16,
            ("mli-2", "fx16"): 24, ("xs3", "int8"): 22}
#: Both inputs at their ends; of other libraries a sum has one bit more than an element.
_PAIRS   = {("tflm", "int8"): 28, ("tflm", "int16"): 30}
_UNITS   = {("tflm", "int8"): 31, ("tflm", "int16"): 31, ("mli-1", "fx8"): 31,
            ("mli-1", "fx16"): 31, ("xs3", "int8"): 31, ("xs3", "int16"): 31}
KINDS = [(operation, *kind, top) for operations, tops in (
    (("conv2d", "depthwise_conv2d", "fully_connected"), _WEIGHTS), (("average_pool",), _POOLS),
    (("add", "sub"), _PAIRS), (("requantise",), _UNITS))
    for operation in operations for kind, top in tops.items()]
#: Recurrent cells; a device has one accumulator for the sums of all gates.
CELLS = [(operation, *kind, top) for operation, kinds in (
    ("lstm", ((("tflm", "int8"), 31), (("mli-1", "fx8"), 31), (("mli-1", "fx16"), 39),
              (("mli-1", "fx8w16d"), 31), (("mli-2", "sa8"), 31), (("mli-2", "fx16"), 39),
              (("mli-2", "fx16_fx8_fx8"), 31))),
    ("rnn", ((("mli-1", "fx8"), 31), (("mli-1", "fx16"), 39), (("mli-1", "fx8w16d"), 31))),
    ("gru", ((("mli-2", "sa8"), 31), (("mli-2", "fx16"), 39), (("mli-2", "fx16_fx8_fx8"), 31))),
    ("svdf", ((("tflm", "int8"), 31),))) for kind, top in kinds]
WEIGHTED = [(operation, *kind) for operation in ("conv2d", "depthwise_conv2d", "fully_connected")
            for kind in _WEIGHTS]


@lru_cache(maxsize=1)
def drawn(operation, dialect, kind):
    """The default cases of an operation, and their sums beside the library's results."""
    cases    = generate(Supports(operation, dialect, kind), CASES, SEED.value).cases
    expected = [case.expected() for case in cases]
    return cases, gather(dict(enumerate(cases)), expected, expected)


def shown(groups, rule):
    """Whether any output of a device under ``rule`` is not the library's."""
    return any((compute(group.sums.narrowing.under(rule), group.sums) != group.results).any()
               for group in groups.groups)


@pytest.mark.parametrize(("operation", "dialect", "kind", "top"), KINDS)
def test_accumulators_that_are_too_narrow_are_shown(operation, dialect, kind, top):
    _, groups = drawn(operation, dialect, kind)

    hidden = [(bits, limit, when) for bits in range(top, LEAST - 1, -STEP) for limit, when in (
        (Limit.WRAP, None), (Limit.SATURATE, When.END), (Limit.SATURATE, When.STEP))
        if not shown(groups, Rule(acc_bits=bits, acc_limit=limit, when=when))]

    assert hidden == []


@pytest.mark.parametrize(("operation", "dialect", "kind"), WEIGHTED)
def test_biases_that_are_cut_are_shown(operation, dialect, kind):
    _, groups = drawn(operation, dialect, kind)

    hidden = [(bits, limit) for bits in range(31, LEAST - 1, -STEP)
              for limit in (Limit.WRAP, Limit.SATURATE)
              if not shown(groups, Rule(bias_bits=bits, bias_limit=limit))]

    assert hidden == []


@pytest.mark.parametrize(("operation", "dialect", "kind", "top"), CELLS)
def test_cells_whose_sums_or_biases_are_too_narrow_are_shown(operation, dialect, kind, top):
    cases = generate(Supports(operation, dialect, kind), CASES, SEED.value).cases[EVERY - 1::EVERY]
    pairs = [(case, case.expected()) for case in sorted(cases, key=lambda case: case.inputs[
        0].data.size)]
    rules = [Rule(acc_bits=bits, acc_limit=limit, when=when)
             for bits in range(top, LEAST - 1, -STEP)
             for limit, when in ((Limit.WRAP, None), (Limit.SATURATE, When.END),
                                 (Limit.SATURATE, When.STEP))]
    rules += [Rule(bias_bits=bits, bias_limit=limit) for bits in range(31, LEAST - 1, -STEP)
              for limit in (Limit.WRAP, Limit.SATURATE)]

    hidden = [rule for rule in rules
              if all(np.array_equal(run_cell(rule, case), want) for case, want in pairs)]

    assert hidden == []


@pytest.mark.parametrize(("operation", "dialect", "kind"), [
    ("conv2d", "tflm", "int8"), ("fully_connected", "mli-2", "sa8")])
def test_sums_and_biases_of_every_size_come(operation, dialect, kind):
    cases, _ = drawn(operation, dialect, kind)
    task     = Task(Supports(operation, dialect, kind), "drawn", cases)

    coverage = cover(task, [case.expected() for case in cases])

    sizes  = [f"{sign}2**{bits} and more" for sign in ("", "-") for bits in range(14, 31)]
    missed = [name for quantity, name in list_missed(coverage) if quantity.startswith("largest")]
    assert coverage["largest partial sum"].keys() >= set(sizes)
    assert len(missed) <= 2, missed


def _products_alone(case, bits, limit):
    """Outputs of a dense layer whose products are summed in ``bits`` bits, then the bias added."""
    x       = case.inputs[0].centred.reshape(-1)
    weights = case.layer.weights.data.astype(np.int64)
    sums    = weights @ x
    held    = wrap(sums, bits) if limit is Limit.WRAP else np.clip(sums, *container(bits))
    moved   = held - sums if case.layer.bias is None else held - sums + case.layer.bias.data
    bias    = case.layer.bias
    if bias is None:
        return case.expected() if not moved.any() else case.expected() ^ 1
    if np.abs(moved).max() >= 1 << 31:
        return case.expected() ^ 1
    layer = type(case.layer)(**vars(case.layer) | {"bias": type(bias)(**vars(bias) | {
        "data": moved.astype(bias.data.dtype)})})
    return type(case)(**{name: getattr(case, name) for name in (
        "operation", "dialect", "name", "inputs")} | {"layer": layer}).expected()


@pytest.mark.parametrize("limit", [Limit.WRAP, Limit.SATURATE])
def test_products_alone_reach_the_limit(limit):
    cases, _ = drawn("fully_connected", "tflm", "int8")

    hidden = [bits for bits in range(LEAST, 32) if all(
        np.array_equal(_products_alone(case, bits, limit), case.expected()) for case in cases)]

    assert hidden == []


def test_every_way_is_taken_in_few_cases():
    support = Supports("conv2d", "mli-2", "sa8")
    hits    = generate(support, EVERY * len(WAYS), SEED.value).hits["sums go"]

    assert all(hits[way] for way in WAYS)


def test_limits_bound_long_sums():
    limits  = {"channels": range(1, 9), "outputs": (4,), "kernel_height": (3,),
               "kernel_width": (3,), "height": range(5, 9), "width": (6,)}
    support = Supports("conv2d", "tflm", "int8", limits)

    cases = generate(support, 40, SEED.value).cases

    assert all(case.layer.weights.shape[3] <= 8 for case in cases)
    wide = Rule(acc_bits=24, acc_limit=Limit.WRAP)
    assert any((run(wide, case) != case.expected()).any() for case in cases)


@pytest.mark.parametrize("zero", [-128, 127, 0, -1, 1, -37])
def test_ties_come_with_every_zero_point(zero):
    support = Supports("requantise", "tflm", "int8", {"output_zero": (zero,)})
    stimuli = generate(support, CASES, SEED.value)
    missed  = list_missed(cover(Task(support, "drawn", stimuli.cases, stimuli.hits),
                                [case.expected() for case in stimuli.cases]))

    names = {"tie": zero < 127, "tie below 0": zero > -128}
    assert not {("sums that are", name) for name, is_there in names.items() if is_there} & set(
        missed)


def test_multipliers_and_shifts_reach_both_ends():
    cases = drawn("conv2d", "tflm", "int8")[0]
    units = generate(Supports("requantise", "tflm"), CASES, SEED.value).cases
    taken = [number for case in cases for number in case.operands["multiplier"]]

    assert {1 << 30, (1 << 30) + 128, (1 << 31) - 128} <= set(taken)
    assert {-31, 1} <= {shift for case in units for shift in case.operands["shift"]}
    assert {1 << 30, (1 << 31) - 1} <= {number for case in units
                                        for number in case.operands["multiplier"]}


#: Constants of each output that a device may take from another output.
_CONSTANTS = {"multiplier": ("factor", "multiplier"), "shift": ("left", "shift", "early"),
              "bias": ("bias",)}


def _moved(case, name, channels):
    """Outputs with constants of other channels, a function of channel numbers and their count."""
    sums   = sums_of(case, np.arange(int(np.prod(case.shape))))
    count  = case.shape[-1]
    places = sums.index % count
    other  = sums_of(case, sums.index - places + channels(places, count))
    return compute(sums.narrowing, replace(sums, **{
        column: getattr(other, column) for column in _CONSTANTS[name]}))


@pytest.mark.parametrize("operation", [
    "requantise", "conv2d", "depthwise_conv2d", "fully_connected"])
@pytest.mark.parametrize(("dialect", "kind"), [
    ("tflm", "int8"), ("tflm", "int16"), ("mli-2", "sa8")])
def test_constants_of_another_output_are_shown(operation, dialect, kind):
    cases = [case for case in generate(Supports(operation, dialect, kind), CASES, SEED.value).cases
             if case.shape[-1] > 2]
    pairs = [(replace(case, offset=0), replace(case, offset=0).expected()) for case in cases]
    names = [name for name in _CONSTANTS if (operation, name) != ("requantise", "bias")]

    hidden = [(name, lanes) for name in names for lanes in (4, 8, 32)
              if all(np.array_equal(_moved(case, name, lambda place, count, lanes=lanes: np.where(
                  place >= count // lanes * lanes, 0, place) if lanes < 32 else place % lanes),
                                    want.reshape(-1)) for case, want in pairs)]

    assert hidden == []


@pytest.mark.parametrize("operation", ["conv2d", "average_pool", "max_pool"])
def test_large_images_have_outputs_that_differ(operation):
    cases = generate(Supports(operation, "tflm", "int8"), CASES, SEED.value).cases
    sizes = [max(case.inputs[0].shape[1:3]) for case in cases]

    flat = [case.name for case, size in zip(cases, sizes, strict=True) if 32 < size < 300
            and max(case.shape) > 32 and len(np.unique(case.expected())) < 3]

    assert len(flat) <= 1

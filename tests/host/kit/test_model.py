# SPDX-License-Identifier: Apache-2.0
"""The model under any rule, against single outputs in Python's ints; that of the library, against
golden and against what the libraries returned."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.layers import CALLS
from tests.support.modules import ROOT
from tests.support.naive.kit import output
from tests.support.seed import SEED, random_of
from xymac import golden
from xymac.golden import tflm
from xymac.golden.tflm import Padding
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.host.kit.candidates import DIMENSIONS, singles
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.model import compute, run, running_sums
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import LIBRARY, Rule, When, Zero
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.recorded import find_recorded
from xymac.host.kit.sums import COLUMNS, ROWS, TERMS

OPERATIONS = ("requantise", "conv2d", "depthwise_conv2d", "fully_connected", "average_pool", "add",
              "sub", "mul")
TYPES = (("tflm", "int8"), ("tflm", "int16"), ("mli-1", "fx8"), ("mli-1", "fx16"),
         ("mli-1", "fx8w16d"), ("mli-2", "sa8"), ("mli-2", "fx16"), ("mli-2", "fx16_fx8_fx8"),
         ("xs3", "int8"))
#: Types that an operation is not drawn in, or that it has no model in.
UNKNOWN  = {"requantise": (TYPES[4], *TYPES[6:8]), "average_pool": (TYPES[4], TYPES[7]),
            **dict.fromkeys(("add", "sub", "mul"), (TYPES[4], *TYPES[7:]))}
SUPPORTS = [Supports(operation, dialect, kind) for operation in OPERATIONS
            for dialect, kind in TYPES
            if (dialect, kind) not in UNKNOWN.get(operation, ())]


def is_equal(case):
    got, wanted = run(LIBRARY, case), case.expected()
    return got.dtype == wanted.dtype and np.array_equal(got, wanted)


@pytest.mark.parametrize("support", SUPPORTS, ids=lambda support: support.title)
def test_under_its_own_rule_a_library_is_golden(support):
    count = 60 if SEED.thorough else 20
    cases = generate(support, count, seed=int(random_of(902).integers(1 << 16))).cases
    assert [case.name for case in cases if not is_equal(case)] == []


@pytest.mark.parametrize("folder", ["", "mli2", "xs3", "tflm"])
def test_vectors_of_the_libraries(folder):
    checked, step = 0, 4 if SEED.thorough else 12
    for support in SUPPORTS:
        if support.operation == "requantise":
            continue
        for case in find_recorded(support, ROOT / "tests" / "vectors" / folder)[0][::step]:
            if has_sums(case):
                assert is_equal(case), case.name
                checked += 1
    assert checked > 3


def test_every_kind_of_layer_that_has_a_model():
    cases = [Case("call", wing, type(layer).__name__, layer, tuple(inputs))
             for wing, calls in CALLS.items() for layer, *inputs in calls]
    modelled = [case for case in cases if has_sums(case)]
    assert len({type(case.layer) for case in modelled}) >= 19
    assert all(is_equal(case) for case in modelled)


def disturb(sums, rng):
    """The same with elements, biases and zero points of every size, beyond what layers have."""
    def draw(shape, bits):
        return rng.integers(-1 << bits, 1 << bits, shape) >> rng.integers(0, bits, shape)

    shape = sums.elements.shape
    return replace(sums, elements=draw(shape, 24), weights=draw(shape, 15),
                   bias=draw(sums.count, 44), padding=draw(sums.count, 30),
                   input_zero=draw(sums.count, 8), outside=draw(sums.count, 20),
                   raw=draw(sums.raw.shape, 30))


def stimuli(rng):
    """Sums of small and of large layers of all libraries."""
    for support in rng.permutation(np.array(SUPPORTS, object))[:12]:
        for case in generate(support, 3, seed=int(rng.integers(1 << 16))).cases:
            size   = case.expected().size
            places = rng.choice(size, min(size, 3), replace=False)
            yield sums_of(case, places)
            yield disturb(sums_of(case, places), rng)


def rules(rng):
    """Every single difference, and sets of three."""
    yield from singles()
    for _ in range(150):
        kinds = [DIMENSIONS[place] for place in rng.choice(len(DIMENSIONS), 3, replace=False)]
        one, other, third = (kind[rng.integers(len(kind))] for kind in kinds)
        yield one | other | third


def columns_of(sums):
    """Dicts of one output each."""
    for place in range(sums.count):
        yield ({name: getattr(sums, name)[:, place].tolist() for name in (*ROWS, *TERMS)}
               | {name: int(getattr(sums, name)[place]) for name in COLUMNS})


@pytest.mark.parametrize("key", [903, 904])
def test_single_outputs_under_every_rule(key):
    rng    = random_of(key)
    groups = list(stimuli(rng))
    for rule in rules(rng):
        sums      = groups[rng.integers(len(groups))]
        narrowing = sums.narrowing.under(rule)
        wanted    = [output(narrowing, column) for column in columns_of(sums)]
        assert compute(narrowing, sums).tolist() == wanted, (rule, narrowing)


@pytest.mark.parametrize("kind", [("add", "tflm", "int8"), ("sub", "tflm", "int16"),
                                  ("add", "mli-2", "sa8"), ("average_pool", "tflm", "int8"),
                                  ("average_pool", "mli-2", "sa8")], ids=" ".join)
def test_single_outputs_under_rules_of_inputs_and_means(kind):
    rng   = random_of(905)
    cases = generate(Supports(*kind), 30, seed=int(rng.integers(1 << 16))).cases
    own   = [rule for rule in singles() if rule.given.keys() & {
        "inputs", "inputs_once", "apart", "counted"}]
    others = [Rule(zero=Zero.UNROUNDED), *rng.choice(singles(), 5)]
    for rule, other, case in ((one, two, case) for one in own for two in others
                              for case in rng.choice(np.array(cases, object), 4)):
        sums = sums_of(case, np.arange(min(case.expected().size, 6)))
        for each in (sums, disturb(sums, rng)):
            narrowing = each.narrowing.under(rule | other)
            wanted    = [output(narrowing, column) for column in columns_of(each)]
            assert compute(narrowing, each).tolist() == wanted, (rule, other, narrowing)


def padded(x, layer, value):
    """An image of TensorFlow Lite with elements ``value`` around it, and the layer on all of it."""
    pads = layer.pads(x.shape)
    data = np.pad(x.data, ((0, 0), pads[:2], pads[2:], (0, 0)), constant_values=value)
    return tflm.Tensor(data, x.quantisation), replace(layer, padding=Padding.VALID)


@pytest.mark.parametrize("rule", [Rule(counted=True), Rule(counted=True, padding=True)], ids=str)
def test_a_mean_that_counts_padding_is_that_of_an_image_with_elements_around_it(rule):
    cases = [case for case in generate(Supports("average_pool", "tflm", "int8"), 60).cases
             if case.layer.padding is Padding.SAME]
    moved = 0
    for case in cases:
        [x]     = case.inputs
        x, call = padded(x, case.layer, 0 if rule.padding else x.quantisation.zero_point)
        actual  = run(rule, case)
        wanted  = golden.run(call, x).output.data
        assert np.array_equal(actual, wanted[:, :actual.shape[1], :actual.shape[2]]), case.name
        moved += not np.array_equal(actual, case.expected())
    assert moved


def test_inputs_that_are_rounded_apart_are_those_of_two_requantisers():
    support = Supports("add", "tflm", "int8", {"activation": ("none",)})
    for case in generate(support, 20).cases:
        first, second, last = case.layer.factors(*case.inputs)
        total = case.layer.out.zero_point
        for x, factor in zip(case.inputs, (first, second), strict=True):
            total = total + multiply_quantized(
                multiply_quantized(x.centred << 20, *factor), *last)
        assert np.array_equal(run(Rule(apart=True), case), np.clip(total, -128, 127))


def test_padding_with_0_is_that_of_an_image_with_zeros_around_it():
    cases = [case for case in generate(Supports("conv2d", "tflm", "int8"), 60).cases
             if case.layer.padding is Padding.SAME]
    moved = 0
    for case in cases:
        x, call = padded(*case.inputs, case.layer, 0)
        wanted  = golden.run(call, x).output.data
        actual  = run(Rule(padding=True), case)
        assert np.array_equal(actual, wanted[:, :actual.shape[1], :actual.shape[2]]), case.name
        moved += not np.array_equal(actual, case.expected())
    assert moved


@pytest.mark.parametrize("operation", OPERATIONS[1:4])
def test_a_zero_point_in_a_wide_bias_changes_nothing(operation):
    for dialect, kind in (("tflm", "int8"), ("mli-2", "sa8")):
        for case in generate(Supports(operation, dialect, kind), 20).cases:
            sums = sums_of(case, np.arange(case.expected().size))
            if sums.reach.max() + np.abs(sums.zeros).max() < 1 << 30:  # else the sum saturates
                assert np.array_equal(run(Rule(folded=True), case), case.expected())


def test_saturating_after_every_step_forgets():
    [case, *_] = generate(Supports("fully_connected", "mli-1", "fx8"), 1).cases
    sums   = sums_of(case, np.array([0]))
    narrow = sums.narrowing.under(Rule(acc_bits=8, acc_limit=Limit.SATURATE, when=When.STEP))
    steps  = [int(each[0]) for each in running_sums(narrow, sums)]
    wanted = int(sums.bias[0])
    for product, step in zip(sums.products[:, 0].tolist(), steps[1:], strict=True):
        wanted = max(-128, min(127, wanted + product))
        assert step == wanted


def test_what_has_no_model_says_so():
    case = Case("softmax", "tflm", "softmax 3", object(), ())
    with pytest.raises(ValueError, match="no model of softmax of tflm, case softmax 3"):
        sums_of(case, [0])

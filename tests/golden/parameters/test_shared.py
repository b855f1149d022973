# SPDX-License-Identifier: Apache-2.0
"""Parameters broken where golden and lowering share them: fractions notice what both agree on

Each breakage changes what a kernel gives, and the golden machine gives the same wrong result, for
its program is lowered with the same wrong parameters: comparing the two shows nothing.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from tests.support.exact import CHECKS, calls
from tests.support.exact.breaking import FUNCTIONS, break_function
from tests.support.seed import random_of
from xymac import golden
from xymac.golden import mli1
from xymac.golden.kinds import Relu
from xymac.golden.mli2 import Build
from xymac.golden.parameters.mli2 import rounding
from xymac.hdl.config import SMALL
from xymac.host.device.device import MachineDevice
from xymac.host.plan.run import run_layer

TRIES = 12  #: Calls of which one has to show the breakage.


def plus(place, step):
    """What adds to one number of a tuple."""
    return lambda right: lambda *args: tuple(
        value + step * (index == place) for index, value in enumerate(right(*args)))


def field_plus(name, step):
    """What adds to a field of a dataclass."""
    def wrong(right):
        return lambda *args: replace(result := right(*args), **{name: getattr(result, name) + step})
    return wrong


def one_less(right):
    return lambda *args: right(*args) - 1


def floored(right):
    def align(x, weights, bias, build):
        if x.is_affine:
            return right(x, weights, bias, build)
        shift = bias.format.frac_bits - x.format.frac_bits - weights.format.frac_bits
        return np.array([floor(value * Fraction(2) ** -shift) for value in bias.data.tolist()])
    return align


def rounded(right):
    """Nearest in place of cut; what is a power of two stays."""
    def divide(count):
        multiplier, shift = right(count)
        return (multiplier, shift) if multiplier == 1 else (round(Fraction(1 << shift, count)),
                                                            shift)
    return divide


def cut(right):
    def divide(count):
        _, shift = right(count)
        return floor(Fraction(1 << shift, count)), shift
    return divide


def quotient_rounded(right):
    def ratio(scale, out_scale, places, mode):
        quotient = round(Fraction(scale << places, out_scale))
        multiplier, shift = rounding.normalise(quotient, 32, 16, mode)
        return multiplier, places - shift
    return ratio


def symmetric(right):
    def limits(*args):
        low, high = right(*args)
        return max(low, -high), high
    return limits


def less_than_six(right):
    def limits(relu, *args):
        low, high = right(relu, *args)
        return low, high - (relu is Relu.RELU6)
    return limits


def opposite_zero(right):
    return lambda kind, *args: right(
        replace(kind, zero_point=min(-kind.zero_point, 32767)), *args)


def swapped(right):
    return lambda *args: right(*args)[::-1]


def longer_slopes(right):
    def slopes(*args):
        above, below = right(*args)
        return above, [(multiplier, shift + 1) for multiplier, shift in below]
    return slopes


def signed_low(right):
    def columns(*args):
        actual = right(*args)
        return replace(actual, bias=actual.bias - (actual.bias >> 15 & 1) * (1 << 16))
    return columns


def reverse_channels(right):
    return lambda *args: right(*args)[:, ::-1]


@dataclass(frozen=True)
class Broken:
    """A function and what is put in its place, the check that notices, and a call that shows it."""

    function: str
    wrong:    object
    check:    str
    call:     object


SLOPE  = mli1.Tensor(np.array([9000], np.int16), 15)
BROKEN = {
    "multiplier one more": Broken("mli2.linear.output_scaling", field_plus("multiplier", 21845),
                                  "output_scaling", calls.dense()),
    "shift one less": Broken("mli2.linear.output_scaling", field_plus("shift", -1),
                             "output_scaling", calls.dense()),
    "reduced multiplier one less": Broken("mli2.linear.shorten", plus(0, -1), "shorten",
                                          calls.dense(Build.UP_REDUCED)),
    "reduced shift one less": Broken("mli2.linear.shorten", plus(2, -1), "shorten",
                                     calls.dense(Build.UP_REDUCED)),
    "bias floored": Broken("mli2.linear.align_bias", floored, "fixed_bias", calls.fixed_dense),
    "limits symmetric": Broken("mli2.limits.relu_limits", symmetric, "relu_limits",
                               calls.dense(frac=19)),
    "third gate as the others": Broken("mli2.linear.gate_format", lambda right: lambda kind: kind,
                                       "gate_format", calls.gru),
    "scales of a sum swapped": Broken("mli2.eltwise.sum_scales", swapped, "sum_scales",
                                      calls.unlike_sum),
    "shift of an extreme one more": Broken("mli2.eltwise.extreme_scale", plus(1, 1),
                                           "extreme_scale", calls.extreme),
    "multiplier of a product": Broken("mli2.eltwise.product_scale", plus(0, 64), "product_scale",
                                      calls.product),
    "slope halved": Broken("mli2.activation.affine_slopes", longer_slopes, "slopes", calls.leaky),
    "argument of a table one less": Broken("mli2.activation.argument_frac_bits", one_less,
                                           "argument", calls.sigmoid),
    "conversion halved": Broken("mli2.convert.conversion", field_plus("shift", 1), "conversion",
                                calls.any_conversion),
    "zero point one more": Broken("mli2.convert.conversion", field_plus("in_zero", 1),
                                  "conversion", calls.any_conversion),
    "quotient rounded": Broken("mli2.rounding.scale_ratio", quotient_rounded, "scale_ratio",
                               calls.any_conversion),
    "norm one less": Broken("mli2.rounding.norm", one_less, "norm", calls.any_conversion),
    "zero point negated": Broken("mli2.pool.affine_scale", opposite_zero, "affine_mean",
                                 calls.mean),
    "mean halved": Broken("mli2.pool.fixed_scale", plus(1, 1), "fixed_mean", calls.fixed_mean),
    "reciprocal rounded": Broken("mean.reciprocal", rounded, "reciprocal",
                                 calls.image1(mli1.AvePool((7, 1), (1, 1)))),
    "output's shift one less": Broken("mli1.out_shift", one_less, "binary_points", calls.dense1),
    "bias's shift one less": Broken("mli1.bias_shift", one_less, "binary_points", calls.dense1),
    "accumulators swapped": Broken("mli1.acc_range", lambda right: lambda bits: right(24 - bits),
                                   "accumulator", calls.overflowing),
    "less than 6": Broken("mli1.relu_limits", less_than_six, "relu1_limits",
                          calls.image1(mli1.Rectify(Relu.RELU6))),
    "slope of 15 bits as documented": Broken(
        "mli1.takes_larger", lambda right: lambda slope, _: right(slope, True), "takes_larger",
        calls.image1(mli1.LeakyRelu(SLOPE))),
    "argument of a gate one less": Broken("mli1.dense_frac_bits", one_less, "gates", calls.cell1),
    "mean's factor cut": Broken("xs3.mean_factor", cut, "mean_factor", calls.unit_mean),
    "lower half with a sign": Broken("xs3.bso_columns", signed_low, "bso_columns",
                                     calls.scaled_dense),
    "channels reversed": Broken("xs3.transform_columns", reverse_channels, "transform_columns",
                                calls.transform),
}


def output_of(result):
    return result.output, result.overflow


def run_on_machine(layer, *inputs):
    with MachineDevice(SMALL) as device:
        return run_layer(device, layer, *inputs)


@pytest.mark.parametrize("name", BROKEN)
def test_what_both_agree_on_is_noticed(monkeypatch, name):
    broken  = BROKEN[name]
    several = [broken.call(random_of([seed, len(name)])) for seed in range(TRIES)]
    right   = [output_of(golden.run(*call)) for call in several]
    break_function(monkeypatch, *FUNCTIONS[broken.function], broken.wrong)
    wrong   = [output_of(golden.run(*call)) for call in several]
    shown   = [index for index in range(TRIES) if wrong[index] != right[index]]

    assert shown
    assert output_of(run_on_machine(*several[shown[0]])) == wrong[shown[0]]
    with pytest.raises(AssertionError):
        CHECKS[broken.check]()

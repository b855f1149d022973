# SPDX-License-Identifier: Apache-2.0
"""Each number that parameters are made of, one off: the exact fractions notice all of them"""

import pytest

from tests.support.exact import CHECKS
from tests.support.exact.breaking import FUNCTIONS, break_function, with_one_off

#: The check that each function is held to, and the numbers of its result.
HELD = {
    "mean.reciprocal":                    ("reciprocal", 2),
    "mean.full_reciprocal":               ("full_reciprocal", 2),
    "mli1.acc_range":                     ("accumulator", 1),
    "mli1.bias_shift":                    ("binary_points", 1),
    "mli1.dense_frac_bits":               ("gates", 1),
    "mli1.out_shift":                     ("binary_points", 1),
    "mli1.relu_limits":                   ("relu1_limits", 2),
    "mli1.takes_larger":                  ("takes_larger", 1),
    "xs3.bso_columns":                    ("bso_columns", 6),
    "xs3.mean_factor":                    ("mean_factor", 2),
    "xs3.product_factors":               ("product_factors", 3),
    "xs3.transform_columns":              ("transform_columns", 1),
    "mli2.activation.affine_slopes":      ("slopes", 4),
    "mli2.activation.argument_frac_bits": ("argument", 1),
    "mli2.activation.fixed_slope":        ("fixed_slope", 2),
    "mli2.convert.conversion":            ("conversion", 4),
    "mli2.convert.format_at":             ("format_at", 3),
    "mli2.eltwise.extreme_scale":         ("extreme_scale", 2),
    "mli2.eltwise.product_scale":         ("product_scale", 3),
    "mli2.eltwise.sum_scales":            ("sum_scales", 4),
    "mli2.limits.relu_limits":            ("relu_limits", 2),
    "mli2.linear.align_bias":             ("fixed_bias", 1),
    "mli2.linear.gate_format":            ("gate_format", 3),
    "mli2.linear.output_scaling":         ("output_scaling", 2),
    "mli2.linear.shorten":                ("shorten", 3),
    "mli2.pool.affine_scale":             ("affine_mean", 3),
    "mli2.pool.fixed_scale":              ("fixed_mean", 2),
    "mli2.rounding.cast":                 ("shift_round", 1),
    "mli2.rounding.limit":                ("shift_round", 1),
    "mli2.rounding.norm":                 ("norm", 1),
    "mli2.rounding.normalise":            ("normalise", 2),
    "mli2.rounding.scale_ratio":          ("scale_ratio", 2),
    "mli2.rounding.shift_left":           ("shift_left", 1),
    "mli2.rounding.shift_round":          ("shift_round", 1),
    "tflm.eltwise.product_multiplier":    ("product_multiplier", 2),
    "tflm.eltwise.sum_multipliers":       ("sum_multipliers", 6),
    "tflm.eltwise.sum_shift":             ("sum_multipliers", 1),
    "tflm.exponent.log_softmax_argument": ("log_softmax_argument", 5),
    "tflm.exponent.radius_of":            ("arguments_of_exponentials", 1),
    "tflm.exponent.sigmoid_argument":     ("arguments_of_exponentials", 3),
    "tflm.exponent.softmax_argument":     ("arguments_of_exponentials", 3),
    "tflm.exponent.softmax_table_argument": ("arguments_of_tables", 2),
    "tflm.exponent.table_argument":       ("arguments_of_tables", 2),
    "tflm.hard_swish.hard_swish_multipliers": ("hard_swish_multipliers", 4),
    "tflm.linear.output_multipliers":     ("output_multipliers", 2),
    "tflm.mean.mean_multiplier":          ("mean_multiplier", 2),
    "tflm.multiplier.quantize_multiplier": ("quantize_multiplier", 2),
    "tflm.multiplier.reduce_multiplier":  ("reduce_multiplier", 1),
    "tflm.pairs.difference_multipliers":  ("difference_multipliers", 6),
    "tflm.pairs.difference_shift":        ("difference_multipliers", 1),
    "tflm.pairs.quotient_multiplier":     ("quotient_multiplier", 2),
    "tflm.places.bilinear_places":        ("bilinear_places", 1),
    "tflm.places.nearest_places":         ("nearest_places", 1),
    "tflm.places.strided_range":          ("strided_range", 3),
    "tflm.ranges.activation_range":       ("activation_range", 2),
    "tflm.ranges.quantize_real":          ("quantize_real", 1),
    "tflm.recurrent.cell_clip_limit":     ("cell_of_lstm", 1),
    "tflm.recurrent.cell_multipliers":    ("cell_of_lstm", 6),
    "tflm.recurrent.cell_table_argument": ("cell_of_lstm", 2),
    "tflm.recurrent.gate_multiplier":     ("recurrent_multipliers", 2),
    "tflm.recurrent.svdf_multipliers":    ("recurrent_multipliers", 4),
    "tflm.rescale.leaky_multipliers":     ("rescale_multipliers", 4),
    "tflm.rescale.prelu_multipliers":     ("rescale_multipliers", 4),
    "tflm.rescale.rescale_multiplier":    ("rescale_multipliers", 2),
    "tflm.roots.root_multiplier":         ("root_multiplier", 2),
    "tflm.windows.pads_of":               ("pads_of", 4),
}


def test_every_function_is_held():
    assert HELD.keys() == FUNCTIONS.keys()
    assert {check for check, _ in HELD.values()} <= CHECKS.keys()


@pytest.mark.parametrize(("function", "place"), [
    (function, place) for function, (_, count) in HELD.items() for place in range(count)])
def test_one_off_is_noticed(monkeypatch, function, place):
    def wrong(right):
        return lambda *args: with_one_off(right(*args), place)

    break_function(monkeypatch, *FUNCTIONS[function], wrong)

    with pytest.raises(AssertionError):
        CHECKS[HELD[function][0]]()

# SPDX-License-Identifier: Apache-2.0
"""What xymac.golden.parameters derives, held to exact fractions: checks as functions."""

from . import linear, mli1, mli2, scales, tflm, tflm_curves, tflm_pairs, xs3

__all__ = ["CHECKS"]

#: Every check by its name, ``library: subject``. Each raises AssertionError with what it asked.
CHECKS = {check.__name__.removeprefix("check_"): check for check in (
    *mli1.CHECKS, *scales.CHECKS, *linear.CHECKS, *mli2.CHECKS, *xs3.CHECKS, *tflm.CHECKS,
    *tflm_curves.CHECKS, *tflm_pairs.CHECKS)}

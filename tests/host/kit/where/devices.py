# SPDX-License-Identifier: Apache-2.0
"""Devices in plain numpy, from the operands of a case alone, with places for faults."""

from functools import lru_cache

import numpy as np

from tests.support.seed import SEED
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.where.locate import locate


@lru_cache(maxsize=4)
def cases_of(operation, dialect="tflm", kind="int8", count=100):
    return generate(Supports(operation, dialect, kind), count, SEED.value).cases


def where(device, *kind):
    """Words on the places of a device's faults."""
    cases = cases_of(*kind)
    return locate(cases, [case.expected() for case in cases],
                  [device(case) for case in cases]).sentence


def sentence_of(device, *kind):
    """The whole verdict."""
    cases = cases_of(*kind)
    return explain(cases, [device(case) for case in cases]).sentence


def saturated(values, case):
    ends = np.iinfo(case.dtype)
    return np.clip(values, ends.min, ends.max).astype(case.dtype)


def patches(given, shape, fill):
    """Elements under the windows [batch, row, column, kernel row, kernel column, channel], and
    which lie inside of the image.
    """
    x = given["x"].astype(int)
    (high, wide), pad = given["kernel"], given["pad"]
    steps, apart = given["stride"], given.get("dilation", (1, 1))
    rows    = (np.arange(shape[1]) * steps[0] - pad[0])[:, None] + np.arange(high) * apart[0]
    columns = (np.arange(shape[2]) * steps[1] - pad[2])[:, None] + np.arange(wide) * apart[1]
    on = (((rows >= 0) & (rows < x.shape[1]))[:, None, :, None]
          & ((columns >= 0) & (columns < x.shape[2]))[None, :, None, :])
    taken = x[:, np.clip(rows, 0, x.shape[1] - 1)[:, None, :, None],
              np.clip(columns, 0, x.shape[2] - 1)[None, :, None, :]]
    return np.where(on[None, ..., None], taken, fill), on


def high_product(a, b):
    """SaturatingRoundingDoublingHighMul of gemmlowp, without its saturation."""
    product = a * np.int64(b) if np.isscalar(b) else a * b.astype(np.int64)
    nudged  = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))


def scaled(acc, multiplier, shift, last=None):
    """Sums times multipliers; ``last`` is the second shift."""
    multiplier, shift = (np.array(each, np.int64) for each in (multiplier, shift))
    left = acc << np.maximum(shift, 0)
    left = (left + (1 << 31) & (1 << 32) - 1) - (1 << 31)
    return (last or rounded)(high_product(left, multiplier), np.maximum(-shift, 0))


def rounded(x, shift):
    """RoundingDivideByPOT of gemmlowp."""
    mask = (np.int64(1) << shift) - 1
    return (x >> shift) + ((x & mask) > (mask >> 1) + (x < 0))


def limited(values, given):
    return np.clip(values, given["low"], given["high"])


def convolve(case, change=lambda given: {}, last=None, limit=limited):
    """conv2d and fully_connected of tflm int8; ``change`` gives other operands."""
    given  = case.operands
    given |= change(given)
    weights = given["weights"].astype(int)
    if case.operation == "fully_connected":
        acc = (given["x"].astype(int).reshape(-1, weights.shape[1]) - given["x_zero"]) @ weights.T
    else:
        taken  = patches(given, case.shape, given["x_zero"])[0] - given["x_zero"]
        groups = taken.shape[-1] // weights.shape[-1]
        acc = np.concatenate([
            np.einsum("bijklc,oklc->bijo", part, each) for part, each in zip(
                np.split(taken, groups, axis=-1), np.split(weights, groups), strict=True)], axis=-1)
    acc    = (acc + given.get("bias", 0)).reshape(case.shape)
    values = scaled(acc, given["multiplier"], given["shift"], last)
    return saturated(limit(values + given["out_zero"], given), case)


def requantise(case, last=None, limit=limited):
    given  = case.operands
    acc    = given["acc"].astype(np.int64)
    places = np.arange(acc.shape[-1]) % len(given["multiplier"])
    values = scaled(acc, np.array(given["multiplier"])[places], np.array(given["shift"])[places],
                    last)
    return saturated(limit(values + given["out_zero"], given), case)


def pool(case, change=lambda given: {}, count=lambda count, given: count, divide=None,
         limit=limited):
    """Both pools of tflm int8."""
    given  = case.operands
    given |= change(given)
    if case.operation == "max_pool":
        taken, _ = patches(given, case.shape, -1 << 20)
        return saturated(limit(taken.max(axis=(3, 4)), given), case)
    taken, on = patches(given, case.shape, 0)
    number    = np.maximum(count(on.sum(axis=(2, 3))[None, :, :, None], given), 1)
    total     = taken.sum(axis=(3, 4))
    half      = np.abs(total) + number // 2
    means     = np.sign(total) * (half // number) if divide is None else divide(total, number)
    return saturated(limit(means, given), case)

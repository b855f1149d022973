# SPDX-License-Identifier: Apache-2.0
"""Softmax of TensorFlow Lite as passes against the golden operator."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.cases import CASES
from tests.support.tflite.lowered import assert_model
from xymac.golden.tflm import Quantisation, Softmax, Tensor
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.cycles.model import predict
from xymac.host.errors import Refusal
from xymac.host.ir.exponential import BELOW, SUM_BITS, exponentials, share
from xymac.host.ir.rescale import divide
from xymac.host.lower.registry import find_lowering
from xymac.host.lower.softmax.rows.share_tables import QUOTIENT_BITS, ShareTables, ShortTables
from xymac.host.lower.softmax.rows.thresholds import CORRECTION, find_thresholds
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

OUT    = Quantisation((2.0**-8,), (-128,))
SCALES = [2.0**-9, 0.02, 0.0625, 0.147, 0.5, 2.0]
each_scale = pytest.mark.parametrize("scale", SCALES)


WIDE = Softmax(Quantisation((2.0**-16,), (-32768,)), dtype=np.dtype(np.int16))


def bytes_of(data, scale=0.1, zero_point=3):
    return Tensor(np.asarray(data, np.int8), Quantisation((float(np.float32(scale)),),
                                                          (zero_point,)))


def noise(key, shape, scale=0.1):
    """Bytes as random as can be, and rows nearer to one another."""
    rng  = random_of(key)
    span = rng.choice([1, 4, 40, 255], (*shape[:-1], 1))
    top  = rng.integers(-128, 128, (*shape[:-1], 1))
    return bytes_of(np.clip(top - rng.integers(0, span + 1, shape), -128, 127), scale)


def argument_of(scale, beta=1.0):
    return Softmax(OUT, beta).factor(bytes_of([0], scale))


@each_size
@pytest.mark.parametrize("count", [1, 2, 3, 4, 10, 12, 15, 16, 17, 63, 65, 100, 255])
def test_rows_of_every_length(config, count):
    for key, scale in enumerate(SCALES):
        x = noise((key, count), (1, count), scale)
        assert_equals_golden(config, Softmax(OUT), x)
        if key % 3 == count % 3:
            assert_equals_golden(config, WIDE, x)


@each_size
@pytest.mark.parametrize("shape", [(2, 3), (16, 10), (17, 10), (40, 2), (5, 20), (2, 3, 2, 7),
                                   (3, 100), (1, 1, 4, 33), (9,)])
def test_several_rows(config, shape):
    for scale in (0.03, 0.3):
        assert_equals_golden(config, Softmax(OUT), noise(shape, shape, scale))
    assert_equals_golden(config, WIDE, noise(shape, shape, 0.1))


@each_size
def test_random_operators(config):
    for key in range(20):
        model = CASES["SOFTMAX"](random_of((key, config.ways)))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
def test_a_thousand_classes(config):
    for scale in (0.05, 0.2):
        assert_equals_golden(config, Softmax(OUT), noise(7, (1, 1001), scale))
        assert_equals_golden(config, WIDE, noise(7, (1, 1001), scale))


@pytest.mark.parametrize("count", [127, 128, 129, 4095, 4096, 6000])
def test_sums_of_all_sizes(count):
    """Elements all alike have the largest sums: beyond ``2**31`` from 4,096 elements on."""
    for data in (np.full((1, count), 5), np.arange(count)[None] % 5):
        assert_equals_golden(BASE, WIDE, bytes_of(data, 0.05))


@pytest.mark.parametrize("beta", [2.0**-8, 0.1, 0.75, 1.0, 4.0])
def test_beta(beta):
    for key in range(20):
        rng = random_of((key, int(beta * 256)))
        x   = noise(key, (4, int(rng.integers(1, 20))), 2.0 ** rng.uniform(-6, 2))
        assert_equals_golden(BASE, Softmax(OUT, beta), x)
        if key % 4 == 0:
            assert_equals_golden(BASE, replace(WIDE, beta=beta), x)


@each_scale
@pytest.mark.parametrize("count", [2, 10, 12, 64])
def test_extremes(scale, count):
    """All alike, at each end; one that is largest, next to others or far from them."""
    rows = [np.full(count, value) for value in (-128, 0, 127)]
    for low, high in ((-128, 127), (-128, -127), (126, 127), (0, 127), (-128, 0)):
        for place in (0, count - 1):
            rows.append(np.full(count, low))
            rows[-1][place] = high
            rows.append(np.full(count, high))
            rows[-1][place] = low
    assert_equals_golden(BASE, Softmax(OUT), bytes_of(rows, scale))
    assert_equals_golden(BASE, WIDE, bytes_of(rows, scale))


def row_of_sum(rng, units, fixed, count, wanted):
    """Differences from the largest element, ``fixed`` first, whose exponentials add up to
    ``wanted``; or None."""
    pairs  = units[:, None] + units
    order  = np.argsort(pairs, axis=None)
    places = pairs.ravel()[order]
    for _ in range(3000):
        others = rng.integers(-rng.integers(1, 200), 1, count - len(fixed) - 2)
        rest   = wanted - units[np.concatenate([fixed, others]) + 255].sum()
        place  = np.searchsorted(places, rest)
        if place < places.size and places[place] == rest:
            return np.concatenate([fixed, others, np.array(divmod(order[place], 256)) - 255])
    return None


@pytest.mark.parametrize(("scale", "count"), [(0.02, 5), (0.02, 12), (0.08, 12), (0.05, 63)])
def test_sums_whose_limits_are_corrected(scale, count):
    """Rows of just those sums at which a limit alone is wrong."""
    powers, rng, rows = exponentials(*argument_of(scale)), random_of(count), []
    units  = divide(powers, SUM_BITS)
    for below, threshold in zip(BELOW, find_thresholds(powers, count), strict=True):
        for k, (low, high) in threshold.ranges.items():
            if low <= 0 <= high:
                continue
            wanted = (threshold.limit + (low if low > 0 else high + 1)) // (2 * k - 1)
            row = row_of_sum(rng, units, np.unique([0, below]), count, wanted)
            if row is not None:
                rows.append(row + 127)
    assert len(rows) > 1
    assert_equals_golden(BASE, Softmax(OUT), bytes_of(rows, scale))


@each_size
@each_scale
def test_two_classes_of_all_differences(config, scale):
    """Rows of as many as lanes have outputs, and what is left of them."""
    data = np.stack([np.full(256, 127), np.arange(-128, 128)], axis=1)
    x    = bytes_of(np.concatenate([data, data[:, ::-1]])[:-1], scale)

    assert_equals_golden(config, Softmax(OUT), x)
    assert_equals_golden(config, WIDE, x)
    assert_equals_golden(config, WIDE, bytes_of(x.data[:, :1], scale))


def test_rows_that_do_not_fit_together():
    plan = assert_plan(TINY, [Softmax(OUT)], noise(1, (900, 12)))

    assert isinstance(plan, TiledPlan)


@pytest.mark.parametrize(("rows", "count", "most"), [
    (1, 2, 100), (144, 2, 250), (1, 10, 250), (1, 12, 250), (100, 10, 6700), (1, 16, 330)])
def test_cycles(rows, count, most):
    plan = make_plan(BASE, [Softmax(OUT)], noise(2, (rows, count), 0.147))

    assert predict(plan.program, BASE).cycles <= most


def test_what_has_no_passes():
    x = noise(3, (1, 4))

    with pytest.raises(Refusal, match="no passes for Softmax with these inputs"):
        find_lowering(Softmax(OUT), (x,), COMPACT.ways, core=COMPACT.capabilities)


def test_rows_without_limits():
    """They are computed by the reciprocal itself."""
    assert ShareTables.find(argument_of(0.001), 500) is None
    assert_equals_golden(BASE, Softmax(OUT), noise(4, (3, 500), 0.001))


@each_scale
@pytest.mark.parametrize("beta", [2.0**-8, 1.0, 4.0])
def test_exponentials_and_shares_are_those_of_golden(scale, beta):
    argument = argument_of(scale, beta)
    powers   = exponentials(*argument)
    rows     = np.stack([np.zeros_like(BELOW), BELOW, BELOW[::-1], BELOW // 3], axis=1)
    taken    = powers[rows + 255]
    sums     = divide(taken, SUM_BITS).sum(axis=1, keepdims=True)

    expected = Softmax(OUT, beta).run(bytes_of(rows + 127, scale)).output.data
    np.testing.assert_array_equal(np.minimum(share(taken, sums) - 128, 127), expected)


@pytest.mark.parametrize(("scale", "count"), [
    *itertools.product(SCALES, [2, 3, 12, 100]), (0.0625, 1001), (0.5, 1001)])
def test_thresholds(scale, count):
    """All shares of all differences: sums next to each limit, and any."""
    powers = exponentials(*argument_of(scale))
    units  = divide(powers, SUM_BITS)
    k      = np.arange(1, 256)
    u      = 2 * k - 1
    rng    = random_of(count)
    for threshold, power, unit, below in zip(find_thresholds(powers, count), powers, units, BELOW,
                                             strict=True):
        least = (1 << 19) + (unit if below else 0)
        most  = min(((count - 1) << 19) + (unit if below else 1 << 19), (1 << 28) - 1)
        near  = threshold.limit // u[:, None] + np.arange(-5, 6)
        sums  = np.clip(np.hstack([near, rng.integers(least, most + 1, (255, 4))]), least, most)
        low, high = np.array([threshold.ranges.get(share, (-CORRECTION, CORRECTION))
                              for share in k.tolist()]).T

        expected = share(power, sums) >= k[:, None]

        for more in (low, np.clip(0, low, high), high):
            actual = u[:, None] * sums <= threshold.limit + more[:, None]
            np.testing.assert_array_equal(actual, expected, err_msg=str(below))


@pytest.mark.parametrize("count", [1, 2, 8, 16, 17, 511])
def test_inverses(count):
    """Quotients are right or 1 more, for the largest limit of every sum."""
    tables = ShareTables.find(argument_of(0.1), count)
    sums   = sums_up_to(min(count << 19, (1 << 28) - 1), count)
    inverse = sum(look_up(each, sums) for each in tables.inverses)
    for part in (1, 3, 7, 100):
        limit    = (1 << 28) // part
        coarse   = -(-(limit + CORRECTION) >> 14)
        quotient = coarse * inverse >> QUOTIENT_BITS

        assert_quotients(quotient, limit, sums)


@pytest.mark.parametrize("count", [1, 2, 8, ShortTables.MOST])
def test_inverses_of_short_rows(count):
    """The same where limits are rounded to the nearest."""
    tables  = ShortTables.find(argument_of(0.1), count)
    sums    = sums_up_to(count << 19, count)
    inverse = look_up(*tables.inverses, sums)
    for limit in ((1 << 28) // np.array([1, 3, 7, 100, 300])).tolist() + [
            (at << 15) + off for at in (1, 3, 5, 501, 8191) for off in (-1, 0)]:
        coarse   = limit + (1 << 15) >> 16
        quotient = coarse * inverse + ShortTables.GUESS >> ShortTables.QUOTIENT

        assert_quotients(quotient, limit, sums)


def sums_up_to(most, seed):
    """Sums of exponentials: the least ones, around powers of two, and any."""
    rng = random_of(seed)
    return np.unique(np.concatenate([
        np.arange(1 << 19, min(most, (1 << 19) + 5000) + 1),
        *(np.clip((1 << bits) + np.arange(-2000, 2000), 1 << 19, most) for bits in range(19, 29)),
        np.exp(rng.uniform(np.log(1 << 19), np.log(most), 20000)).astype(np.int64)]))


def assert_quotients(quotient, limit, sums):
    assert (quotient * sums >= limit + CORRECTION - sums + 1).all()
    assert ((quotient - 1) * sums <= limit - CORRECTION).all()


def look_up(inverse, sums):
    """What a pass looks up of sums, negative."""
    argument = np.clip(-sums >> inverse.shift, *inverse.clip)
    values   = np.array(inverse.own.values)
    place    = np.clip((argument >> inverse.table_shift) + inverse.own.offset, 0, values.size - 2)
    way      = argument & (1 << inverse.table_shift) - 1
    return values[place] - ((values[place] - values[place + 1]) * way >> inverse.table_shift)

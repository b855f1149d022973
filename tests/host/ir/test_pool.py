# SPDX-License-Identifier: Apache-2.0
"""Pools against windows taken one by one, and their parts: outputs, elements and counts."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.ir.pool import MeanForm, Pool, each_mean, find_largest
from xymac.host.lower.pool.form import count_taps

LIMITS = (-128, 127)
SIZE   = (7, 6)


def pool_of(kernel, stride, pad, *, counts=False):
    outputs = tuple((SIZE[axis] + sum(pad[2 * axis:2 * axis + 2]) - kernel[axis]) // stride[axis]
                    + 1 for axis in range(2))
    find = partial(each_mean, MeanForm) if counts else partial(find_largest, LIMITS)
    return Pool(kernel, stride, pad, (0, 1, 2), SIZE, outputs, find, counts)


def under(pool, axis, output):
    """Elements of the image under a window, along an axis."""
    first = output * pool.stride[axis] - pool.pad[2 * axis]
    return [at for at in range(first, first + pool.kernel[axis]) if 0 <= at < SIZE[axis]]


CASES = list(product([(1, 1), (3, 2), (2, 4)], [(1, 1), (2, 3), (4, 1)],
                     [(0, 0, 0, 0), (1, 0, 0, 1), (0, 1, 1, 0)]))


@pytest.mark.parametrize(("kernel", "stride", "pad"), CASES)
def test_largest_elements_and_parts(kernel, stride, pad):
    pad   = tuple(min(each, kernel[index // 2] - 1) for index, each in enumerate(pad))
    pool  = pool_of(kernel, stride, pad)
    image = random_of(1).integers(-128, 128, (*SIZE, 2)).astype(np.int8)

    whole = pool.evaluate(8, image)

    assert whole.tolist() == [[image[np.ix_(under(pool, 0, row), under(pool, 1, col))].max(
        (0, 1)).tolist() for col in range(pool.outputs[1])] for row in range(pool.outputs[0])]
    for axis in range(2):
        for first, end in ((0, 1), (0, pool.outputs[axis]), (pool.outputs[axis] - 1,
                                                            pool.outputs[axis])):
            part, [taken] = pool.split(axis, first, end, image.shape)
            rows = [at for output in range(first, end) for at in under(pool, axis, output)]
            if max(pool.outputs) > 1:
                assert (taken[axis].start, taken[axis].stop) == (min(rows), max(rows) + 1)
            np.testing.assert_array_equal(part.evaluate(8, image[taken]),
                                          np.take(whole, range(first, end), axis))


@pytest.mark.parametrize(("kernel", "stride", "pad"), CASES)
def test_counts_of_elements(kernel, stride, pad):
    pad  = tuple(min(each, kernel[index // 2] - 1) for index, each in enumerate(pad))
    pool = pool_of(kernel, stride, pad, counts=True)

    for axis in range(2):
        counts = [len(under(pool, axis, output)) for output in range(pool.outputs[axis])]
        assert pool.taps(axis) == counts
        assert count_taps(pool, SIZE[axis], axis) == counts
    part, _ = pool.split(0, 0, 1, (*SIZE, 2))
    assert part.taps(0) == pool.taps(0)[:1]

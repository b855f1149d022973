# SPDX-License-Identifier: Apache-2.0
"""Operators of arithmetic of TensorFlow Lite as passes against golden"""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.tflite.arithmetic import ARITHMETIC
from tests.support.tflite.lowered import assert_model
from xymac.golden.tflm import (
    AddN,
    ArgMax,
    ArgMin,
    BatchMatmul,
    CumSum,
    DensePair,
    LogSoftmax,
    Quantisation,
    ReduceMax,
    SquaredDifference,
    Sum,
    Tensor,
)
from xymac.hdl.config import BASE, COMPACT, SMALL, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan


@pytest.mark.parametrize(("name", "config"), [
    pytest.param(name, config, id=f"{name}-{config.name}") for name in ARITHMETIC
    for config in (TINY, BASE, COMPACT) if (name, config) != ("LOG_SOFTMAX", COMPACT)])
def test_equals_golden(name, config):
    for key in range(8):
        model = ARITHMETIC[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


def test_the_compact_core_refuses_tables():
    model = ARITHMETIC["LOG_SOFTMAX"](random_of(1))

    with pytest.raises(Refusal, match=r"^There are no passes for LogSoftmax with"):
        assert_model(COMPACT, model, *random_inputs(model, 1))


KIND = Quantisation((0.5,), (-3,))


def tensor(*shape, low=-128, high=128):
    return Tensor(random_of(1).integers(low, high, shape).astype(np.int8), KIND)


@pytest.mark.parametrize("kind", [ArgMax, ArgMin])
@pytest.mark.parametrize(("shape", "axis"), [
    ((128,), 0), ((129, 3), 0), ((2, 257), 1), ((1000,), 0), ((1, 3, 5, 150), 3)])
def test_indices_of_several_chunks(kind, shape, axis):
    for limits in ((-128, 128), (5, 6), (0, 3)):  # all alike, too, and many of them
        assert_plan(SMALL, [kind(axis)], tensor(*shape, low=limits[0], high=limits[1]))


@pytest.mark.parametrize("count", [1, 10, 35, 70])
def test_logarithms_of_shares_of_rows(count):
    """Rows of one block of lanes and of several, of elements far apart and of ones alike."""
    for scale, limits in ((0.0625, (-128, 128)), (0.1171875, (-20, 20)), (1.75, (-3, 3)),
                          (0.0078125, (0, 1))):
        x = tensor(2, count, low=limits[0], high=limits[1])
        x = Tensor(x.data, Quantisation((scale,), (-3,)))
        assert_plan(BASE, [LogSoftmax(Quantisation((2.0 ** -4,), (127,)))], x)


def test_logarithms_that_do_not_grow_with_their_sums_are_refused():
    x = Tensor(np.zeros((1, 2000), np.int8), KIND)
    with pytest.raises(Refusal, match=r"^Logarithms of sums must grow with the sums, "):
        make_plan(BASE, [LogSoftmax(Quantisation((2.0 ** -4,), (127,)))], x)


def test_an_index_has_14_bits():
    with pytest.raises(Refusal, match=r"An index of an extreme must be less than 16384, "):
        make_plan(BASE, [ArgMax(0)], tensor(16385))


BIAS = Tensor(np.arange(-900, 900, 90, dtype=np.int32), Quantisation((0.25,), (0,)))
TILES = {
    "ARG_MAX": (ArgMax(1), [(90, 90)]),
    "ADD_N": (AddN(KIND), [(60, 50)] * 3),
    "BATCH_MATMUL of rows": (BatchMatmul(KIND), [(300, 40), (40, 20)]),
    "BATCH_MATMUL of columns": (BatchMatmul(KIND, adj_y=True), [(4, 90), (500, 90)]),
    "BATCH_MATMUL of many": (BatchMatmul(KIND, adj_x=True), [(9, 30, 20), (9, 30, 25)]),
    "FULLY_CONNECTED of rows": (DensePair(BIAS, KIND), [(300, 40), (20, 40)]),
    "FULLY_CONNECTED of columns": (
        DensePair(Tensor(np.arange(-9000, 9000, 36, dtype=np.int32), Quantisation((0.25,), (0,))),
                  Quantisation((64.0,), (-3,)), keep_num_dims=True), [(2, 4, 90), (500, 90)]),
    "CUMSUM": (CumSum(0, KIND), [(20, 900)]),
    "REDUCE_MAX": (ReduceMax((1,), KIND), [(70, 40, 8)]),
    "SQUARED_DIFFERENCE": (SquaredDifference(Quantisation((4.0,), (0,))), [(90, 60), (60,)]),
    "SUM": (Sum((0,), KIND), [(60, 400)]),
}


@pytest.mark.parametrize("name", TILES)
def test_what_does_not_fit_is_cut(name):
    layer, shapes = TILES[name]
    inputs = [tensor(*shape) for shape in shapes]

    plan = make_plan(TINY, [layer], *inputs)
    assert isinstance(plan, TiledPlan)
    with MachineDevice(TINY) as device:
        plan.load(device)
        assert plan.run(device, *inputs).output == layer.run(*inputs).output


ONE = Quantisation((1.0,), (0,))


def words(*shape):
    """A Tensor of INT16, all elements the lowest."""
    return Tensor(np.full(shape, -32768, np.int16), ONE)


@pytest.mark.parametrize(("layer", "inputs", "sentence"), [
    (BatchMatmul(Quantisation((2.0 ** -6,), (0,))), [words(1, 1), words(1, 1)],
     r"Scaled sums and the zero point must stay within 32 bits together, not be up to 6871947673"),
    (DensePair(Tensor(np.array([(1 << 31) - 16385], np.int32), ONE),
               Quantisation((1.0 + 2.5 * 2.0 ** -12 + 2.0 ** -23,), (127,))),
     [Tensor(np.zeros((1, 1), np.int8), Quantisation((1.0 + size * 2.0 ** -12,), (0,)))
      for size in (1, 1.5)],
     r"Scaled sums and the zero point must stay within 32 bits together, not be up to 2147483710"),
    (DensePair(Tensor(np.array([1 << 30], np.int32), ONE), Quantisation((0.5,), (127,))),
     [Tensor(np.zeros((1, 1), np.int8), ONE)] * 2,
     r"A factor must keep 1073758208 within 32 bits, not one of about 2\*\*"),
    (DensePair(None, ONE), [Tensor(np.zeros((1, 1), np.int16), Quantisation((1.0,), (3,))),
                            Tensor(np.zeros((1, 1), np.int8), ONE)],
     r"INT16 input of computed weights must have zero point 0, not 3"),
])
def test_products_that_the_library_wraps_are_refused(layer, inputs, sentence):
    with pytest.raises(Refusal, match=sentence):
        make_plan(TINY, [layer], *inputs)

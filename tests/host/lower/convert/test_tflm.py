# SPDX-License-Identifier: Apache-2.0
"""QUANTIZE of integers as passes against the golden kernel."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.cases import CASES
from tests.support.tflite.lowered import assert_model
from xymac.golden.tflm import Quantisation, Quantize, Tensor
from xymac.hdl.config import CORES, TINY
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

EVERY = {8: np.arange(-128, 128).astype(np.int8), 16: np.arange(-32768, 32768).astype(np.int16)}
FAR   = r"^Zero point of {} elements must be 0 where they have 32 bits before or after, not 9$"


@each_size
def test_models_equal_golden(config):
    for key in range(15):
        model = CASES["QUANTIZE"](random_of(key))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("out_bits", [8, 16])
@pytest.mark.parametrize(("ratio", "zeros"), [
    (1, (0, 0)), (1, (127, -128)), (2, (0, 0)), (0.5, (3, 4)), (0.25, (-7, 5)), (300, (1, 0)),
    (1 / 300, (0, -1)), (2.0**-20, (0, 7)), (2.0**-40, (0, 7)), (0.7 * 2.0**-10, (100, 0))])
@pytest.mark.parametrize("config", [CORES["tiny"], CORES["compact"]], ids=["tiny", "compact"])
def test_every_element(config, bits, out_bits, ratio, zeros):
    """Zero points of 16 bits, too."""
    x, out = (Quantisation((float(np.float32(scale)),), (zero * (256 if size == 16 else 1),))
              for scale, zero, size in zip((ratio, 1.0), zeros, (bits, out_bits), strict=True))
    layer  = Quantize(out, np.dtype(f"int{out_bits}"))
    assert_equals_golden(config, layer, Tensor(EVERY[bits][::1 if bits == 8 else 7], x))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(("ratio", "zeros"), [
    (1, (0, 0)), (1, (127, -1000000)), (2, (0, 7)), (0.5, (3, -32768)), (0.99, (0, 40000)),
    (300, (1, 0)), (1.0001, (-128, 1)), (30000, (0, 0)), (32767.9, (0, 0)), (2.0**-20, (0, 7)),
    (2.0**-40, (0, 7)), (12.345, (-50, 1 << 20)), (2.0**15 - 0.01, (0, 0))])
@pytest.mark.parametrize("config", [TINY, CORES["compact"]], ids=["tiny", "compact"])
def test_every_element_to_32_bits(config, bits, ratio, zeros):
    x, out = (Quantisation((float(np.float32(scale)),), (zero,))
              for scale, zero in ((ratio, zeros[0] * (bits == 8)), (1.0, zeros[1])))
    layer  = Quantize(out, np.dtype(np.int32))
    assert_equals_golden(config, layer, Tensor(EVERY[bits][::1 if bits == 8 else 23], x))


@pytest.mark.parametrize("scale", [2.0**-16, 2.0**-24, 0.3 * 2.0**-20, 0.99, 2.0**-31, 2.0**-50])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@each_size
def test_32_bits_to_less(config, dtype, scale):
    rng   = random_of(int(1 / scale) % 1000)
    edges = [-(1 << 31), (1 << 31) - 1, 0, 1, -1, 32767, 32768, 65535, 65536, -32768, -32769]
    near  = np.outer([1, -1], (np.arange(1, 40) + 0.5) / scale).ravel()
    x     = np.concatenate([edges, np.clip(near, -1 << 31, (1 << 31) - 1).astype(np.int64),
                            rng.integers(-1 << 31, 1 << 31, 300),
                            rng.integers(-1 << 20, 1 << 20, 300)]).astype(np.int32)
    out   = Quantisation((1.0,), (-5,))
    assert_equals_golden(config, Quantize(out, np.dtype(dtype)),
                         Tensor(x, Quantisation((float(np.float32(scale)),), (0,))))


@pytest.mark.parametrize(("dtype", "zero", "ratio", "out_type", "sentence"), [
    (np.int32, 0, 1.5, np.int16,
     r"^A factor must keep 2147483647 within 32 bits, not one of about 2\*\*1$"),
    (np.int32, 9, 0.5, np.int16, FAR.format("INT32")),
    (np.int16, 9, 0.5, np.int32, FAR.format("INT16")),
    (np.float32, None, 1.0, np.int8, r"^There are no passes to convert FLOAT32 to INT8$")])
def test_refused(dtype, zero, ratio, out_type, sentence):
    kind  = None if zero is None else Quantisation((ratio,), (zero,))
    layer = Quantize(Quantisation((1.0,), (0,)), np.dtype(out_type))
    with pytest.raises(Refusal, match=sentence):
        Plan(TINY, [layer], Tensor(np.zeros(4, dtype), kind))

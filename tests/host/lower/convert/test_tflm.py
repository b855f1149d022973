"""QUANTIZE of integers as passes against the golden kernel."""

import numpy as np
import pytest

from golden.tflm import Quantisation, Quantize, Tensor
from hdl.config import CORES
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.cases import CASES
from tests.support.tflite.lowered import assert_model

EVERY = {8: np.arange(-128, 128).astype(np.int8), 16: np.arange(-32768, 32768).astype(np.int16)}


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

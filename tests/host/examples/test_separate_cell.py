# SPDX-License-Identifier: Apache-2.0
"""The second cell of the activity recognition example, kernel by kernel on the core."""

import numpy as np
import pytest

from tests.support.lowered import noise
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import Act, LstmCell, RnnMode, Tensor
from xymac.host.examples.constants import DTYPES, TYPES
from xymac.host.examples.har import separate_cell
from xymac.host.plan.run import run_layer

STEPS, INPUTS, STATE = 3, 4, 5


@pytest.mark.parametrize("kind", TYPES)
def test_every_kernel_equals_golden(kind, rtl):
    rng = random_of(9)
    bits, weight_bits = TYPES[kind]
    dtype, weight_type = DTYPES[bits], DTYPES[weight_bits]
    cell = LstmCell(noise(rng, (4, STATE, INPUTS + STATE), weight_type, weight_bits - 1),
                    noise(rng, (4, STATE), weight_type, weight_bits - 2),
                    noise(rng, (STATE,), dtype, bits - 1), noise(rng, (STATE,), dtype, bits - 4),
                    bits - 1, RnnMode.BATCH_TO_LAST, Act.TANH)
    x = noise(rng, (STEPS, INPUTS), dtype, bits - 1)
    device, outputs = rtl("tiny"), []

    def apply(layer, *inputs):
        expected, run = golden.run(layer, *inputs), run_layer(device, layer, *inputs)
        assert (run.output, run.overflow) == (expected.output, expected.overflow), layer
        outputs.append(run.output)
        return run.output

    h = separate_cell(cell, x, apply)

    assert isinstance(h, Tensor)
    assert h.shape == (STATE,)
    assert len(outputs) == 10 * STEPS
    assert all(np.any(output.data) for output in outputs)

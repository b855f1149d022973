# SPDX-License-Identifier: Apache-2.0
"""Networks in float32 as files: the refusal names the missing step."""

import numpy as np
import pytest

from tests.support.tflite.networks import constant
from xymac.host.errors import InputError
from xymac.host.network.load import load_model
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.writer import write_model

REAL    = TENSOR_TYPE.FLOAT32
WEIGHTS = np.arange(6, dtype=np.int8).reshape(2, 3)


def real(name, *shape):
    return Tensor(name, shape, REAL)


def dense(weights, *before):
    """Model of a FULLY_CONNECTED in float32, after the operators ``before``."""
    return Model((real("x", 1, 3), weights, real("y", 1, 2), real("w", 2, 3)), (*before, Operator(
        "FULLY_CONNECTED", (0, 3 if before else 1, -1), (2,), options.FullyConnectedOptions())),
        (0,), (2,))


@pytest.mark.parametrize(("model", "wanted"), [
    (dense(constant("w", WEIGHTS.astype(np.float32))), "float32 network: quantise it to int8"),
    (dense(constant("w", WEIGHTS, (0.5,)), Operator("DEQUANTIZE", (1,), (3,))),
     "float32 network with quantised weights: quantise its activations as well"),
    (dense(constant("w", WEIGHTS, (0.5,))),
     "float32 network with quantised weights: quantise its activations as well"),
    (Model((Tensor("x", (1, 3), TENSOR_TYPE.INT8, (0.5,), (0,)), real("y", 1, 3), real("z", 1, 3)),
           (Operator("DEQUANTIZE", (0,), (1,)), Operator("EXP", (1,), (2,))), (0,), (2,)),
     "float32 network: quantise it to int8"),
], ids=["float", "weight-only", "dynamic range", "int8 input"])
def test_a_refusal_tells_quantised_weights(model, wanted, tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes(write_model(model))

    with pytest.raises(InputError, match=wanted):
        load_model(path)

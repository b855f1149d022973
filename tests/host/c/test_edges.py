# SPDX-License-Identifier: Apache-2.0
"""QUANTIZE at the edges of networks in C, for every pair of types that drivers read or write."""

import numpy as np
import pytest

from tests.host.c.test_network import assert_golden, run_in_c
from tests.support.images import images_of
from tests.support.tflite.networks import value
from xymac.golden.tflm.convert import _OUTPUTS
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

COUNT  = 60
SCALES = {"INT8": 0.3, "UINT8": 0.3, "INT16": 0.002, "INT32": 0.0000071}
ZEROS  = {"INT8": -5, "UINT8": 131, "INT16": 0, "INT32": 0}


def tensor(name, kind):
    """A tensor with the scale and zero point of its type."""
    if kind == "FLOAT32":
        return Tensor(name, (1, COUNT), TENSOR_TYPE.FLOAT32)
    return value(name, (1, COUNT), TENSOR_TYPE[kind], float(np.float32(SCALES[kind])),
                 ZEROS[kind])


def network_with(source, target):
    """QUANTIZE from one type to another behind a RELU, where the core has one; else before it."""
    steps = ("RELU", "QUANTIZE") if source in ("INT8", "INT16") else ("QUANTIZE", "RELU")
    kinds = (source, source, target) if steps[0] == "RELU" else (source, target, target)
    tensors = tuple(tensor(f"t{index}", kind) for index, kind in enumerate(kinds))
    operators = tuple(Operator(name, (index,), (index + 1,)) for index, name in enumerate(steps))
    return network_of(Model(tensors, operators, (0,), (1, 2)), f"1{source}{target}".lower())


def softmax_network(shape):
    """Shares of 16 bits, whose zero point keeps QUANTIZE to 32 bits off the core."""
    tensors = (value("x", shape, zero_point=7),
               value("shares", shape, TENSOR_TYPE.INT16, 2.0**-16, -1 << 15),
               value("wide", shape, TENSOR_TYPE.INT32, float(np.float32(0.0000071)), 77_777))
    operators = (Operator("SOFTMAX", (0,), (1,), options.SoftmaxOptions(1.0)),
                 Operator("QUANTIZE", (1,), (2,)))
    return network_of(Model(tensors, operators, (0,), (2,)), "1wide")


def elements(kind):
    """Both ends of a type, and elements around its zero point."""
    if kind == "FLOAT32":
        return np.linspace(-70, 70, 2 * COUNT, dtype=np.float32)
    info = np.iinfo(kind.lower())
    near = np.arange(ZEROS[kind] - COUNT // 2, ZEROS[kind] + COUNT // 2) * (
        257 if info.bits > 8 else 1)
    return np.concatenate([np.linspace(info.min, info.max, COUNT).astype(np.int64),
                           near.clip(info.min, info.max)]).astype(info.dtype)


@pytest.mark.parametrize(("source", "target"), [
    (source, target) for source, targets in _OUTPUTS.items() for target in targets])
def test_every_pair_of_types(source, target, tmp_path):
    network = network_with(source, target)
    images  = [(each[None],) for each in elements(source).reshape(2, COUNT)]

    assert_golden(network, images, run_in_c(tmp_path, network, images))


def test_outputs_of_32_bits(tmp_path):
    network = softmax_network((1, 6))
    images  = images_of(network, range(4))

    assert_golden(network, images, run_in_c(tmp_path, network, images))

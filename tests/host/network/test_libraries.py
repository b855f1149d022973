# SPDX-License-Identifier: Apache-2.0
"""Network files hold every layer of every library."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from xymac import golden
from xymac.golden import mli1, mli2, xs3
from xymac.hdl.config import TINY
from xymac.host.errors import InputError
from xymac.host.network.cost import layer_costs
from xymac.host.network.fields import decode_fields, encode
from xymac.host.network.file import load_network, save_network
from xymac.host.network.inference import Inference
from xymac.host.network.kernels import KERNELS, kernel_name, library_of
from xymac.host.network.network import join_layers
from xymac.host.vectors.check import build_layer
from xymac.host.vectors.files import read_arrays, read_cases

VECTORS = Path(__file__).parents[2] / "vectors"
CASES   = [case for folder in ("mli2", "xs3") for case in read_cases(VECTORS / folder)]
FIRST   = {case.function: case for case in reversed(CASES)}
UNEQUAL = [name for name in FIRST if "rnn_dense" in name]  #: Their inputs have different shapes.


def call_of(case):
    """Layer and inputs of a vector."""
    layer, *inputs = build_layer(case, next(iter(case.expected)), read_arrays(case))
    return layer, inputs


@pytest.mark.parametrize("function", [name for name in FIRST if name not in UNEQUAL])
def test_layers_come_back(function, tmp_path):
    layer, inputs = call_of(FIRST[function])
    if len(inputs) > 1:
        inputs = inputs[:1] * len(inputs)
        layer.check(*inputs)
    network = join_layers("one", inputs[0], (layer,), ((0,) * len(inputs),))

    save_network(tmp_path / "one.npz", network)
    loaded = load_network(tmp_path / "one.npz")

    [cost] = layer_costs(network, Inference(), TINY)
    assert cost.kernel.startswith(kernel_name(layer))
    assert cost.ideal > 0
    assert loaded == network
    assert golden.run(loaded.layers[0], *inputs).output == golden.run(layer, *inputs).output


@pytest.mark.parametrize("function", UNEQUAL)
def test_fields_come_back(function):
    layer, _ = call_of(FIRST[function])
    arrays   = {}

    entry  = {field.name: encode(getattr(layer, field.name), field.name, arrays)
              for field in fields(layer)}
    values = decode_fields(type(layer), json.loads(json.dumps(entry)), arrays, mli2.QuantTensor)

    assert type(layer)(**values) == layer


def test_every_layer_has_a_name():
    for name, package in (("mli1", mli1), ("mli2", mli2), ("xs3", xs3)):
        layers = {getattr(package, each) for each in package.__all__
                  if hasattr(getattr(package, each), "work")
                  and isinstance(getattr(package, each), type)}
        assert layers == {kind for key, kind in KERNELS.items() if library_of(key) == name}
    assert kernel_name(xs3.Requantize16To8()) == "xs3.requantize16_to8"


def test_a_network_of_several_inputs_is_refused(tmp_path):
    x = mli1.Tensor(np.zeros((3,), np.int8), 7)
    network = join_layers("two", x, (mli1.Tanh(),))
    object.__setattr__(network, "inputs", (x, x))

    with pytest.raises(InputError, match="A network file holds layers of mli1, mli2, xs3 with one"):
        save_network(tmp_path / "two.npz", network)

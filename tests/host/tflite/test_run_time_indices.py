# SPDX-License-Identifier: Apache-2.0
"""Indices that are no constants: the host looks them up, or the operator says what must be one."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.micro import open_file
from xymac.hdl.config import TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.network.compiled import load_compiled, save_compiled
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.runtime import Runtime
from xymac.host.tflite.model import TYPES, Model
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.samples.sample import sample_model
from xymac.host.tflite.samples.wish import FLOAT32, INT8, Wish
from xymac.host.tflite.writer import write_model

INDICES = {"DYNAMIC_UPDATE_SLICE": ("start", "start"),
           "REVERSE_V2": ("axes", "axes"), "MIRROR_PAD": ("pads", "paddings"),
           "BROADCAST_TO": ("shape", "shape"), "FILL": ("dims", "dimensions")}


def with_input(model, name):
    """(Model in which a constant is the last input, its number)."""
    number  = [each.name for each in model.tensors].index(name)
    tensors = list(model.tensors)
    tensors[number] = replace(tensors[number], data=None)
    return Model(tuple(tensors), model.operators, (*model.inputs, number), model.outputs), number


@pytest.mark.parametrize("name", INDICES)
def test_indices_must_be_constants(name):
    tensor, operand = INDICES[name]
    model, number = with_input(sample_model(name, Wish()), tensor)

    wanted = re.escape(f"Operator 0 ({name}): its {operand}, tensor {number} ('{tensor}'), must be "
                       f"a constant")
    with pytest.raises(InputError, match=f"^{wanted}$"):
        convert_model(model)


@pytest.mark.parametrize("kind", [INT8, FLOAT32])
@pytest.mark.parametrize("name", ["GATHER", "GATHER_ND", "EMBEDDING_LOOKUP"])
def test_the_host_looks_up_indices(name, kind, tmp_path):
    wish     = Wish(kind, kind)
    model, _ = with_input(sample_model(name, wish), "indices")
    x, given = (model.tensors[number] for number in model.inputs)
    network  = network_of(model, "net")
    library  = open_file(write_model(model))
    save_compiled(tmp_path / "net", compile_network(network, TINY))
    for key in range(3):
        rng     = random_of(key)
        data    = rng.integers(-128, 128, x.shape).astype(TYPES[x.type])
        indices = rng.integers(0, x.shape[0], given.shape).astype(np.int32)
        [wanted] = library(data, indices)
        with MachineDevice(TINY) as device:
            session = Session(network, device)
            outputs = [session.run(data, indices).outputs[0].data]
            outputs += Runtime(load_compiled(tmp_path / "net"), device).apply(data, indices)[0]
        assert [facts.host for facts in session.facts] == [True]
        for output in outputs:
            np.testing.assert_array_equal(output, wanted, strict=True)


def test_indices_beyond_the_input():
    model, _ = with_input(sample_model("EMBEDDING_LOOKUP", Wish()), "indices")
    x, given = (model.tensors[number] for number in model.inputs)

    with pytest.raises(InputError, match=rf"indices of dimension 0 must be between 0 and "
                                         rf"{x.shape[0] - 1}, not -1$"):
        Session(network_of(model, "net")).run(
            np.zeros(x.shape, np.int8), np.full(given.shape, -1, np.int32))

# SPDX-License-Identifier: Apache-2.0
"""Indices that are no constants: each operator that has some says which of its inputs must be one.
"""

import re

import pytest

from xymac.host.errors import InputError
from xymac.host.tflite.model import Model
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.samples.sample import sample_model
from xymac.host.tflite.samples.wish import Wish

INDICES = {"GATHER": ("indices", "indices"), "GATHER_ND": ("indices", "indices"),
           "EMBEDDING_LOOKUP": ("indices", "indices"), "DYNAMIC_UPDATE_SLICE": ("start", "start"),
           "REVERSE_V2": ("axes", "axes"), "MIRROR_PAD": ("pads", "paddings"),
           "BROADCAST_TO": ("shape", "shape"), "FILL": ("dims", "dimensions")}


@pytest.mark.parametrize("name", INDICES)
def test_indices_must_be_constants(name):
    tensor, operand = INDICES[name]
    model  = sample_model(name, Wish())
    number = [each.name for each in model.tensors].index(tensor)
    tensors = list(model.tensors)
    tensors[number] = type(tensors[number])(tensor, tensors[number].shape, tensors[number].type)
    model = Model(tuple(tensors), model.operators, (*model.inputs, number), model.outputs)

    wanted = re.escape(f"Operator 0 ({name}): its {operand}, tensor {number} ('{tensor}'), must be "
                       f"a constant")
    with pytest.raises(InputError, match=f"^{wanted}$"):
        convert_model(model)

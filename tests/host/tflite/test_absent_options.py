# SPDX-License-Identifier: Apache-2.0
"""Operators whose file has no table of options: tflite-micro's bits, or a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.wild import EVERY
from xymac.host.errors import InputError
from xymac.host.tflite import options
from xymac.host.tflite.absent import options_without_table
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.signatures import SIGNATURES
from xymac.host.tflite.writer import encode_model

DRAWS  = 12  #: Random networks of an operator; some become uncomputable without their table.
NEEDED = ("AVERAGE_POOL_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE", "MAX_POOL_2D",
          "MIRROR_PAD", "PACK", "SPACE_TO_DEPTH", "SVDF", "TRANSPOSE_CONV",
          "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNPACK")
FREE   = tuple(name for name in EVERY if name in SIGNATURES and SIGNATURES[name].options
               and name not in NEEDED)


def without_table(name, key):
    """A random Model of an operator, and the bytes of its file without the table."""
    model = EVERY[name](random_of((key, *name.encode())))
    bare  = tuple(replace(each, options=None) if each.name == name else each
                  for each in model.operators)
    return model, encode_model(replace(model, operators=bare))


def test_the_operators_are_those_with_options():
    assert len(FREE) == 26


@pytest.mark.parametrize("name", FREE)
def test_absent_options_are_zeros(name):
    computed = 0
    for key in range(DRAWS):
        model, data = without_table(name, key)
        inputs = [*random_inputs(model, key)]
        try:
            read   = read_model(data)
            values = run_model(read, *inputs)
        except InputError:
            continue  # other fields than zeros made these shapes
        for number, wanted in zip(read.outputs, run_file(data, *inputs), strict=True):
            np.testing.assert_array_equal(values[number].output.data, wanted, str(key))
        computed += 1
    assert computed


@pytest.mark.parametrize("name", NEEDED)
def test_needed_options(name):
    _, data = without_table(name, 0)
    kind = SIGNATURES[name].options.__name__

    with pytest.raises(InputError, match=rf"^Operator 0 \({name}\) must have its {kind}, "
                                         r"not none$"):
        read_model(data)


def test_types_of_indices_are_those_of_the_output():
    for kind, field in ((options.ArgMaxOptions, "output_type"),
                        (options.ArgMinOptions, "output_type"), (options.ShapeOptions, "out_type")):
        assert getattr(options_without_table("Operator 0", kind), field) == TENSOR_TYPE.INT32

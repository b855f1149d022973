# SPDX-License-Identifier: Apache-2.0
"""What tflite-micro leaves in memory where BATCH_TO_SPACE_ND has fewer images than its output."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.micro import open_file
from tests.support.tflite.picks import open_batch_network
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.errors import InputError
from xymac.host.tflite.layers.registry import layer_of
from xymac.host.tflite.leftovers import add_leftovers
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.prepare import call_of
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

UNKNOWN = r"^Operator \d+ \(BATCH_TO_SPACE_ND\).*: Its input must have all elements of its output, "


def taken(keys):
    """Key, Model and inputs of networks whose memory is known."""
    for key in keys:
        model = open_batch_network(random_of((key, 77)))
        try:
            convert_model(model)
        except InputError:
            continue
        yield key, model, list(random_inputs(model, key))


def test_memory_is_as_tflite_micro_leaves_it_every_time():
    cases = list(taken(range(40)))
    assert len(cases) > 25

    for key, model, inputs in cases:
        [output] = model.outputs
        expected = run_model(model, *inputs)[output].output.data
        run      = open_file(write_model(model))
        for _ in range(2):
            np.testing.assert_array_equal(run(*inputs)[0], expected, str(key))


@pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)
def test_passes_equal_golden(config):
    for _, model, inputs in taken(range(8)):
        assert_model(config, model, *inputs)


def test_bytes_of_no_tensor_are_refused():
    model = open_batch_network(random_of((3, 77)))

    with pytest.raises(InputError, match=UNKNOWN + "as the 48 that it has not are bytes of no"):
        convert_model(model)


def test_operators_with_memory_of_their_own_are_refused():
    _, model, _ = next(taken(range(8)))
    first       = replace(model.operators[0], name="TRANSPOSE_CONV")
    number = len(model.operators) - 2
    layer  = layer_of(call_of(model, number, model.tensors), 0)
    other  = replace(model, operators=(first, *model.operators[1:]))
    with pytest.raises(ValueError, match=r"^Its input must have .* beside TRANSPOSE_CONV$"):
        add_leftovers(other, number, layer, model.tensors[model.operators[number].inputs[0]].shape)

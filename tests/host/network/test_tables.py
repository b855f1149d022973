# SPDX-License-Identifier: Apache-2.0
"""FLOAT32 between layers of the core: tables of INT8, or the host's turn."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import constant, value
from xymac.golden.tflm import PlainTable
from xymac.hdl.config import COMPACT
from xymac.host.device.device import MachineDevice
from xymac.host.network.edges import split_network
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

SHAPE = (1, 5, 3)
#: Operators, each on the last one's output; a tuple has another operand in front of it or behind.
CHAINS = {
    "ELU": ["ELU"], "SQUARE": ["SQUARE"], "NEG": ["NEG"], "EXP": ["EXP"], "nothing": [],
    "SELU": ["ELU", ("MUL", 1.0507)], "ABS": ["ABS", ("ADD", 1.0), "SQRT"],
    "mirrored": [("SUB", 0.7), "LOGISTIC"], "itself": ["ELU", "itself"]}


def real(name, shape=SHAPE):
    return Tensor(name, shape, TENSOR_TYPE.FLOAT32)


def chain_network(names, *, kind=TENSOR_TYPE.INT8, moved=False):
    """Model of RELU6, DEQUANTIZE, a chain of CHAINS, with ``moved`` a concatenation of what the
    chain makes of it and a transposition of it, QUANTIZE and MINIMUM with the RELU6."""
    zero    = -11 if kind is TENSOR_TYPE.INT8 else 0
    bytes_  = {"kind": kind, "scale": 0.0625, "zero_point": zero}
    tensors = [value("x", SHAPE, **bytes_), value("relu", SHAPE, **bytes_), real("real")]
    made    = [Operator("LEAKY_RELU", (0,), (1,), options.LeakyReluOptions(0.75)),
               Operator("DEQUANTIZE", (1,), (2,))]

    def add(name, inputs, tensor, *more):
        tensors.append(tensor)
        made.append(Operator(name, inputs, (len(tensors) - 1,), *more))
        return len(tensors) - 1

    last, options_of = 2, {"MUL": options.MulOptions, "ADD": options.AddOptions,
                           "SUB": options.SubOptions}
    for name in names:
        if name == "itself":
            last = add("MUL", (last, 2), real("product"), options.MulOptions())
        elif isinstance(name, str):
            last = add(name, (last,), real(name))
        else:
            tensors.append(constant("by", np.float32(name[1]).reshape(-1)))
            inputs = (len(tensors) - 1, last) if name[0] == "SUB" else (last, len(tensors) - 1)
            last   = add(name[0], inputs, real(name[0]), options_of[name[0]]())
    if moved:
        tensors.append(constant("shape", np.int32([1, 15, 1])))
        flat = add("RESHAPE", (last, len(tensors) - 1), real("flat", (1, 15, 1)),
                   options.ReshapeOptions((1, 15, 1)))
        flat = add("ELU", (flat,), real("behind", (1, 15, 1)))
        back = add("RESHAPE", (2, len(tensors) - 1 - 2), real("back", (1, 15, 1)),
                   options.ReshapeOptions((1, 15, 1)))
        last = add("CONCATENATION", (flat, back), real("joined", (1, 30, 1)),
                   options.ConcatenationOptions(1))
    shape = tensors[last].shape
    given = {**bytes_, "scale": 0.03125, "zero_point": zero and 7}
    last  = add("QUANTIZE", (last,), value("bytes", shape, **given))
    last  = add("RELU", (last,), value("y", shape, **given))
    return Model(tuple(tensors), tuple(made), (0,), (last,))


def check(model, size):
    """The outputs on a size, or on golden, are those of the FLOAT32 operators and tflite-micro."""
    network = network_of(model, "a file")
    session = Session(network, size and MachineDevice(size))
    for key in range(3):
        inputs = [*random_inputs(model, key)]
        run    = session.run(*inputs)
        assert run.difference is None
        wanted = run_model(model, *inputs)[model.outputs[0]].output.data
        np.testing.assert_array_equal(run.outputs[0].data, wanted)
        np.testing.assert_array_equal(run_file(write_model(model), *inputs)[0], wanted)
    return network


@pytest.mark.parametrize("name", CHAINS)
def test_chains_on_golden(name):
    network = check(chain_network(CHAINS[name]), None)

    assert [type(layer) for layer in network.layers].count(PlainTable) == 1
    assert len(network.layers) == 3
    assert network.numbers[1] == len(CHAINS[name]) + 2


@pytest.mark.parametrize("name", ["ELU", "itself"])
@each_size
def test_chains_on_the_core(name, config):
    check(chain_network(CHAINS[name]), config)


@each_size
def test_moves_between_real_steps_move_bytes(config):
    network = check(chain_network(["ELU"], moved=True), config)

    assert network.operators == ("LEAKY_RELU", "ELU", "RESHAPE", "QUANTIZE", "RESHAPE",
                                 "CONCATENATION", "RELU")
    assert split_network(network).host_layers == ()


def test_a_table_has_the_operators_that_it_replaces():
    network = network_of(chain_network(CHAINS["SELU"]), "a file")

    assert network.operators == ("LEAKY_RELU", "ELU+MUL", "RELU")
    assert network.nodes[1].name == "bytes"


def test_a_core_whose_tables_are_fixed():
    check(chain_network(["ELU"]), COMPACT)


@pytest.mark.parametrize(("names", "kind"), [
    (["LOG"], TENSOR_TYPE.INT8), (["ELU", "NEG", "ELU"], TENSOR_TYPE.INT16),
    ([("MUL", (1.0, 2.0, 3.0))], TENSOR_TYPE.INT8)])
@each_size
def test_the_host_computes_others_between_parts(names, kind, config):
    """Of 16 bits, without an output for a byte, or with a constant a channel."""
    network = network_of(chain_network(names, kind=kind), "a file")
    core    = split_network(network)

    assert core.layers == (0, len(names) + 3)
    assert core.turns == ((), tuple(range(1, len(names) + 3)), ())
    assert [len(part.nodes) for part in core.parts] == [1, 1]
    if names != ["LOG"]:
        check(chain_network(names, kind=kind), config)


def test_what_is_read_as_a_real_value_stays():
    model   = chain_network(["ELU"])
    network = network_of(Model(model.tensors, model.operators, model.inputs,
                               (model.outputs[0], 3)), "a file")
    x       = random_of(3).integers(-128, 128, SHAPE).astype(np.int8)

    y, elu = Session(network).run(x).outputs

    assert network.operators == ("LEAKY_RELU", "DEQUANTIZE", "ELU", "ELU", "RELU")
    wanted = run_model(model, x)
    np.testing.assert_array_equal(y.data, wanted[model.outputs[0]].output.data)
    np.testing.assert_array_equal(elu.data, wanted[3].output.data)

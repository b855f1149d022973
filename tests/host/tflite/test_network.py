# SPDX-License-Identifier: Apache-2.0
"""Files of TensorFlow Lite on golden: every value is tflite-micro's, or a sentence says why not."""

import re
from collections import Counter
from zlib import crc32

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import conv_network, value
from tests.support.tflite.wild import EVERY, wild_of
from xymac.host.errors import InputError
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.options import DivOptions
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

each_operator = pytest.mark.parametrize("name", EVERY)

#: What golden says of scales and zero points that it does not compute with. Most of them
#: tflite-micro refuses as well, or ends the process.
REFUSED = [re.compile(f"Operator 0 \\([A-Z_0-9]+\\), tensor .*?: {sentence}") for sentence in (
    r"Scales must make a factor less than \d+, not .*",
    r"-?\d must be less than 2\*\*31 steps of the output's scale, not .*",
    r"Every element must be less than 2\*\*31 steps of the output's scale, not .*",
    r"(Input|out|state|cell|weights_\w+|Weights) must have zero point -?\d+, not -?\d+",
    r"(Input|Output|First input|Second input) of INT16 must have zero point 0, not -?\d+",
    r"Input \d and the output must have zero point 0, not -?\d+ and -?\d+",
    r"Input \d must have the scale and zero point of the output, .*, not .*",
    r"Its padding value must have the scale and zero point of the output, .*, not .*",
    r"Scale of out must be that of the input, .*, within 1e-06, not .*",
    r"Zero point of out must be that of the input, -?\d+, not -?\d+",
    r"Scale of out must be 2\*\*-\d+ for INT\d+, not .*",
    r"out must have scale 2\*\*-\d+ and zero point -?\d+, not .* and -?\d+",
    r"Scale of an INT\d+ input must be (less than|at least) .*, not .*",
    r"Scale of the input must be less than .* times that of the output, not .* times",
    r"beta times the scale of an INT\d+ input must be more than .*, not .*",
    r"Scale of the bias must be that of input times weights, within 0.02 steps of .*, not .* away",
    r"Scale of the bias must be that of state times weights in time, .*, within 1e-05, not .*",
    r"Scale of the cell must be between 2\*\*-43 and 8, not .*",
    r"Scale of (first|second) input must be more than 0 and less than 1, not .*",
    r"No element of the second input must be its zero point, -?\d+",
    r"Scales must make a factor from 2\*\*-12 to 2\*\*50, not about 2\*\*-?\d+",
    r"No element must be below its zero point, but one is by \d+",
    r"Scale of the input must be more than 2\*\*-26, not .*",
    r"Input \d must have the scale and zero point of input 0, .*, not .*",
    r"out must have the scale and zero point of the input, .*, not .*",
)]


#: Of its SPACE_TO_BATCH_ND the file has one of two images: tflite-micro leaves half of a tensor as
#: its memory was, so what comes of it depends on its arena.
UNDEFINED = ["conv1d"]


def check_model(model, inputs, data=None, message=""):
    """Every value of a Model is the one that tflite-micro has."""
    values  = run_model(model, *inputs)
    numbers = [number for number, tensor in enumerate(model.tensors)
               if number in values and tensor.data is None and number not in model.inputs]
    wanted  = run_file(data or write_model(model), *inputs, tensors=numbers)
    for number, expected in zip((*model.outputs, *numbers), wanted, strict=True):
        actual = values[number].output.data
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected, f"{message}, tensor {number}")
    return len(numbers)


def check_cases(name, count):
    for key in range(count):
        model = EVERY[name](random_of((key, *name.encode())))
        check_model(model, [*random_inputs(model, key)], message=f"{name} {key}")


def count_refusals(name, keys):
    """How often golden refused a wild network by what it said; the others are equal."""
    said = Counter()
    for key in keys:
        model = wild_of(name, key)
        try:
            check_model(model, [*random_inputs(model, key)], message=f"wild {name} {key}")
        except InputError as error:
            [pattern] = [each for each in REFUSED if each.fullmatch(str(error))] or [str(error)]
            said[pattern] += 1
    return said


@each_operator
def test_golden_computes_what_tflite_micro_does(name):
    check_cases(name, 4)


@each_operator
def test_wild_scales_are_computed_or_refused_in_a_known_sentence(name):
    assert count_refusals(name, range(8)).keys() <= {*REFUSED}


@pytest.mark.long
@each_operator
def test_golden_computes_many(name):
    check_cases(name, 600)


@pytest.mark.long
def test_every_sentence_is_said_and_most_networks_are_computed():
    said, count = Counter(), 0
    while count < 1000 and said.keys() != {*REFUSED}:  # the rarest is one of some thousand
        said  += sum((count_refusals(name, range(count, count + 100)) for name in EVERY), Counter())
        count += 100

    assert said.keys() == {*REFUSED}
    assert said.total() < count * len(EVERY) // 3


def test_a_network_of_several_operators():
    model = conv_network()

    assert check_model(model, [*random_inputs(model)]) == 5


def test_quotients_next_to_half_a_step():
    """Factors of 255, less what float32 has no bits for; each pair of a dividend and a divisor."""
    count, scales = 255 * 256, (0.00741279823705554, 0.00780495535582304, 0.003724530804902315)
    model = Model(tuple(value(name, (1, count), scale=float(np.float32(scale)))
                        for name, scale in zip("abq", scales, strict=True)),
                  (Operator("DIV", (0, 1), (2,), DivOptions()),), (0, 1), (2,), "quotient", "")
    dividends = np.tile(np.arange(-128, 128, dtype=np.int8), 255)
    divisors  = np.repeat(np.r_[-128:0, 1:128].astype(np.int8), 256)

    check_model(model, [dividends[None], divisors[None]])


def inputs_of(arrays, index):
    """Inputs of case ``index`` of a file of recorded values."""
    return [arrays[name] for name in (f"in_{index}", f"in1_{index}") if name in arrays]


@pytest.fixture
def networks(workloads):
    """(path, Model) of every file of the workloads."""
    paths = sorted(workloads.rglob("*.tflite"))
    assert paths
    return [(path, read_model(path.read_bytes())) for path in paths if path.stem not in UNDEFINED]


def test_every_layer_of_real_networks(networks):
    for path, model in networks:
        # Written anew: without what the file says of the places of its values in memory.
        network = convert_model(model)
        inputs  = [*random_inputs(model, 1)]
        assert check_model(model, inputs, message=str(path)) == len(
            {*network.tensors[len(inputs) + len(network.constants):]})


@pytest.mark.long
def test_recorded_outputs_of_real_networks(networks):
    compared = 0
    for path, model in networks:
        for recorded in path.parent.glob(f"{path.stem.split('_dscnn')[0].split('_int8')[0]}.npz"):
            arrays = dict(np.load(recorded))
            for index in range(sum(name.startswith("in_") for name in arrays)):
                compared += check_recorded(path, model, arrays, index)
    assert compared > 1000


def check_recorded(path, model, arrays, index):
    """Output and layers of case ``index`` are the recorded ones; returns how many these are."""
    values = run_model(model, *inputs_of(arrays, index))
    wanted = {number: arrays[name] for number in values
              if (name := f"t{number}_{index}") in arrays}
    wanted[model.outputs[0]] = arrays[f"out_{index}"]
    for number, expected in wanted.items():
        np.testing.assert_array_equal(values[number].output.data, expected,
                                      f"{path}, case {index}, tensor {number}")
    layers = [*zip(arrays["act_ids"].tolist(), arrays["crc32"][index].tolist(), strict=True)
              ] if "crc32" in arrays else []
    for number, expected in layers:
        actual = crc32(np.ascontiguousarray(values[number].output.data).tobytes())
        assert actual == expected, f"{path}, case {index}, tensor {number}"
    return len(wanted) + len(layers)

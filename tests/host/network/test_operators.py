# SPDX-License-Identifier: Apache-2.0
"""The table of operators says what the checks take: every random network is within it."""

import re
from itertools import product

import pytest

from tests.support.costs import cells
from tests.support.seed import random_of
from tests.support.tflite.beyond import BEYOND
from tests.support.tflite.wild import EVERY
from xymac.hdl.config import BASE
from xymac.host.cli.main import main
from xymac.host.network.operators import COLUMNS, list_operators
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.samples.sample import SAMPLES, sample_model
from xymac.host.tflite.samples.wish import Wish
from xymac.host.tflite.signatures import SIGNATURES


@pytest.fixture(scope="module")
def table():
    """Cells by the operator's name."""
    return {row.name: row.cells for row in list_operators(BASE)}


@pytest.fixture(scope="module")
def rows(table):
    """The same without what says where it is computed."""
    return {name: {column: re.sub(r" \(host\)|[()]", "", text) for column, text in cells.items()}
            for name, cells in table.items()}


def test_every_operator_has_a_row(rows):
    assert [*rows] == [*SIGNATURES]
    assert {*SAMPLES} == {*SIGNATURES}
    assert all(cells["types"] for cells in rows.values())


DRAWN = EVERY | BEYOND


@pytest.mark.parametrize("name", DRAWN)
def test_random_networks_are_within_the_table(name, rows):
    for key in range(20):
        model = DRAWN[name](random_of((key, *name.encode())))
        convert_model(model)
        [operator]  = model.operators
        data        = [model.tensors[number] for number in model.inputs]
        result      = model.tensors[operator.outputs[0]]
        row         = rows[operator.name]
        assert pair_of(data, result) in row["types"].split(", ")
        activation = getattr(operator.options, "fused_activation_function", None)
        assert activation is None or not row["activations"] or (
            activation.name in row["activations"])
        assert not row["padding"] or operator.options.padding.name in row["padding"]


def pair_of(inputs, output):
    """Types of an operator as the table has them."""
    kinds = [each.type.name for each in inputs]
    kind  = next((each for each in kinds if each != "BOOL"), "BOOL")
    return kind if kind == output.type.name else f"{kind} > {output.type.name}"


def test_every_pair_of_types_of_the_core_has_random_networks(table):
    """Of elements: what the table says that the core takes is tried."""
    tried = {}
    for name, key in product(DRAWN, range(20)):
        model      = DRAWN[name](random_of((key, *name.encode())))
        operator   = model.operators[-1]
        data       = [model.tensors[number] for number in model.inputs]
        tried.setdefault(operator.name, set()).add(
            pair_of(data, model.tensors[operator.outputs[0]]))
    pairs = {"INT8", "INT16", "INT8 > INT16", "INT16 > INT8"}
    for name, seen in tried.items():
        if table[name]["core"] == "all":
            assert pairs & {*table[name]["types"].split(", ")} <= seen, name


def test_what_golden_refuses_is_left_out(rows):
    assert rows["CONV_2D"]["dimensions"] == "4"
    assert rows["CONV_2D"]["bias"] == ("INT8: none, INT32; INT16: none, INT32, INT64; "
                                       "FLOAT32: none, FLOAT32")
    assert rows["CONCATENATION"]["activations"] == "NONE"
    assert rows["HARD_SWISH"]["types"].startswith("INT8")
    assert "INT8 > INT16" in rows["SOFTMAX"]["types"].split(", ")
    assert rows["ADD"]["dimensions"] == "1 to 6"
    assert rows["DEQUANTIZE"]["core"] == "the host"


def test_samples_are_as_they_are_wished_to_be():
    [operator] = sample_model("CONV_2D", Wish(stride=3, dilation=2)).operators

    assert (operator.options.stride_h, operator.options.stride_w) == (3, 3)
    assert operator.options.dilation_w_factor == 2


@pytest.mark.long
def test_the_command_prints_the_table(capsys):
    assert main(["run", "--operators", "--markdown", "--size", "tiny"]) == 0

    out = capsys.readouterr().out
    assert [row[0] for row in cells(out.splitlines())] == ["operator", *SIGNATURES]
    assert cells(out.splitlines())[0] == [*COLUMNS]
    assert "no core of size tiny runs" in out

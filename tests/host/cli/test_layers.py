# SPDX-License-Identifier: Apache-2.0
"""Tables of the layers show the counters of the device and the ideal cycles."""

import json
from dataclasses import replace

import pytest
from rich.console import Console

from tests.support.costs import DIGITS, NETWORK, PARTS, cells, counted, uncounted
from tests.support.seed import random_of
from tests.support.tflite.states import STATES
from xymac.hdl.config import TINY
from xymac.hdl.isa import COUNTERS
from xymac.host.cli.main import main
from xymac.host.cli.program import make_console
from xymac.host.cli.show.layers import layer_markdown, layer_table
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.network.cost import total_cost
from xymac.host.network.tflite import network_of
from xymac.host.tflite.writer import write_model


def test_costs_are_counters_and_ideal():
    costs, shapes = counted(), [value.shape for value in NETWORK.values]

    assert [cost.ideal for cost in costs] == [
        ideal_cycles(layer, TINY, shape)
        for layer, shape in zip(NETWORK.layers, shapes, strict=False)]
    assert [cost.cycles for cost in costs] == [sum(cost.counters[name] for name in PARTS)
                                               for cost in costs]
    assert total_cost(costs).counters == {
        name: sum(cost.counters[name] for cost in costs) for name in COUNTERS}
    assert total_cost(costs).ideal == sum(cost.ideal for cost in costs)


def test_markdown_is_the_counters():
    costs = counted()

    names, *rows = cells(layer_markdown(costs))

    assert names == ["layer", "kernel", "shape", "type", "cycles", "ideal", "used", "stall x", "y",
                     "drain", "fetch", "host"]
    for row, cost in zip(rows, (*costs, total_cost(costs)), strict=True):
        assert row == [cost.name, cost.kernel, cost.shape, cost.type, f"{cost.cycles:,}",
                       f"{cost.ideal:,.0f}", f"{cost.ideal / cost.cycles:.0%}",
                       *(f"{cost.counters[name]:,}" for name in PARTS[1:])]


def test_markdown_without_cycles():
    costs = uncounted()

    names, *rows = cells(layer_markdown(costs))

    assert names == ["layer", "kernel", "shape", "type", "ideal"]
    assert [row[-1] for row in rows] == [f"{cost.ideal:,.0f}"
                                         for cost in (*costs, total_cost(costs))]


@pytest.mark.parametrize("name", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_layers_with_states_have_an_ideal(name, tmp_path):
    model = STATES[name](random_of(1))
    (tmp_path / "net.tflite").write_bytes(write_model(model))

    assert main(["run", str(tmp_path / "net.tflite"), "--backend", "machine", "--size", "tiny",
                 "--json", str(tmp_path / "o.json")]) == 0

    layer = network_of(model, "net").nodes[0].layer
    shape = model.tensors[model.inputs[0]].shape
    [row] = json.loads((tmp_path / "o.json").read_text())["layers"]
    assert row["ideal"] == ideal_cycles(layer, TINY, shape) > 0


@pytest.mark.parametrize("backend", ["golden", "machine"])
def test_run_prints_markdown(backend, capsys):
    code = main(["run", str(DIGITS), "--backend", backend, "--size", "tiny", "--markdown"])

    assert code == 0
    assert cells(capsys.readouterr().out.splitlines()) == cells(layer_markdown(uncounted()))


def printed(table, width):
    """A table on a console of so many columns."""
    console = Console(width=width)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


@pytest.mark.parametrize("width", [60, 80, 110, 160, 300])
def test_a_table_fits_the_terminal_and_says_what_does_not(width):
    costs = [replace(cost, takes="one_with_a_long_name, another_with_a_long_name")
             for cost in counted()]

    text  = printed(layer_table(costs, width), width)

    lines = text.splitlines()
    assert len(lines) < 30
    assert max(map(len, lines)) <= width
    for cost in (*costs, total_cost(costs)):
        assert f" {cost.cycles:,} " in text
        assert (f" {cost.ideal:,.0f} " in text) == (width > 60)
    assert (f" {costs[0].counters['drain']:,} " in text) == (width >= 160)
    assert ("No room for stall x, y, drain, fetch, host" in text) == (width == 110)
    assert ("No room" in text) == (width < 160)
    for name, kept in (("takes", text.partition("No room")[0]), ("cycles", text)):
        assert (name in kept) == (name == "cycles" or width > 80)


LONG = "sequential_1/block_{}_depthwise/Relu6;sequential_1/block_{}_depthwise_BN/FusedBatchNormV3"


def test_80_columns_hold_name_shape_and_cycles():
    costs = [replace(cost, name=LONG.format(number, number), number=number,
                     kernel="DEPTHWISE_CONV_2D 3x3 /2x2", shape="1x160x160x16 > 1x80x80x16")
             for number, cost in enumerate(counted())]

    text = printed(layer_table(costs, 80), 80)

    assert max(map(len, text.splitlines())) <= 80
    for cost in costs:
        assert f" {cost.cycles:,} " in text
    assert text.count("ise/Relu6 ") == len(costs)  # the end of the first name
    assert text.replace("\n", "").count("1x160x160x16 >") == len(costs)


@pytest.mark.parametrize("name", ["[/red]", "a:100:b", ":smile:"])
def test_a_table_shows_names_as_they_are(name):
    costs   = [replace(cost, name=name) for cost in counted()]
    console = make_console()

    with console.capture() as capture:
        console.print(layer_table(costs, 110))
        console.print(f"layer {name}", markup=False)
    assert capture.get().count(name) == len(costs) + 1

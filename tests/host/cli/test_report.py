"""Tables of the layers show the counters of the device and the floors."""

from dataclasses import replace

import pytest
from rich.console import Console

from hdl.config import TINY
from hdl.isa import COUNTERS
from host.cli.main import main
from host.cli.report import layer_markdown, layer_table
from host.cycles.floor import floor_cycles
from host.network.cost import total_cost
from tests.support.costs import DIGITS, NETWORK, PARTS, cells, counted, uncounted


def test_costs_are_counters_and_floors():
    costs, shapes = counted(), [value.shape for value in NETWORK.values]

    assert [cost.floor for cost in costs] == [
        floor_cycles(layer, TINY, shape)
        for layer, shape in zip(NETWORK.layers, shapes, strict=False)]
    assert [cost.cycles for cost in costs] == [sum(cost.counters[name] for name in PARTS)
                                               for cost in costs]
    assert total_cost(costs).counters == {
        name: sum(cost.counters[name] for cost in costs) for name in COUNTERS}
    assert total_cost(costs).floor == sum(cost.floor for cost in costs)


def test_markdown_is_the_counters():
    costs = counted()

    names, *rows = cells(layer_markdown(costs))

    assert names == ["layer", "kernel", "shape", "type", "cycles", "floor", "used", "stall x", "y",
                     "drain", "fetch", "host"]
    for row, cost in zip(rows, (*costs, total_cost(costs)), strict=True):
        assert row == [cost.name, cost.kernel, cost.shape, cost.type, f"{cost.cycles:,}",
                       f"{cost.floor:,.0f}", f"{cost.floor / cost.cycles:.0%}",
                       *(f"{cost.counters[name]:,}" for name in PARTS[1:])]


def test_markdown_without_cycles():
    costs = uncounted()

    names, *rows = cells(layer_markdown(costs))

    assert names == ["layer", "kernel", "shape", "type", "floor"]
    assert [row[-1] for row in rows] == [f"{cost.floor:.0f}"
                                         for cost in (*costs, total_cost(costs))]


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


def test_numbers_stay_whole_in_a_narrow_table():
    costs = [replace(cost, takes="one_with_a_long_name, another_with_a_long_name")
             for cost in counted()]

    text = printed(layer_table(costs), 110)

    assert "takes" in text
    for cost in (*costs, total_cost(costs)):
        for number in (f"{cost.cycles:,}", f"{cost.floor:,.0f}", f"{cost.counters['drain']:,}"):
            assert f" {number} " in text


def test_a_table_shows_names_as_they_are():
    costs = [replace(cost, name="[/red]") for cost in counted()]

    assert printed(layer_table(costs), 110).count("[/red]") == len(costs)

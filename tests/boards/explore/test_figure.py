# SPDX-License-Identifier: Apache-2.0
"""The drawing of ``xymac explore``, and the sizes that no other size beats."""

import re
from dataclasses import replace

import pytest
from matplotlib.image import imread

from docs.tables.figures import texts_of
from tests.boards.explore.test_explore import DIGITS, POOL
from xymac.boards.explore.figure import group_close, point_figure
from xymac.boards.explore.point import Point, front
from xymac.boards.explore.table import network_table
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.network.traffic import Traffic

#: A host that moves no words.
NOTHING = Traffic(0, 0, 0, 0, 1, 0)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_figure(ending, tools, tmp_path):
    path = tmp_path / f"points.{ending}"
    assert main(["explore", "--network", DIGITS, POOL, "--plot", str(path)]) == 0

    if ending == "png":
        assert imread(path).std() > 0
    else:
        text = path.read_text()
        assert all(word in text for word in (
            "digits_cnn", "digits_pool", "tiny", "small", "base", "LUT4",
            "xymac fit --device ecp5-85k", "--size"))
        texts = texts_of(path)
        lines = texts[texts.index("xymac fit --device ecp5-85k") + 1:][:4]
        assert lines[0].startswith("--size\u00a0")
        # A browser draws a run of spaces as a single space, and none at the begin.
        assert not [line for line in lines if "  " in line or line.startswith(" ")]
        assert len({len(line) for line in lines[1:]}) == 1


@pytest.mark.parametrize(("clocks", "wanted"), [
    ((100, 150), {"6,000", "7,000"}), ((10, 200), {"1,000", "10,000"})])
def test_inputs_a_second_are_written_alike_in_any_range(clocks, wanted):
    """Matplotlib writes 6 x 10^3 beside 10,000 in a range below a decade."""
    points = [Point(size, "ecp5-85k", {"LUT4": 1000 * size.ways}, "", float(clock),
                    cycles={"net": 15_000}, traffic={"net": NOTHING})
              for size, clock in zip((TINY, BASE), clocks, strict=True)]
    figure = point_figure(points, ["net"], "ecp5-85k")
    figure.canvas.draw()

    axis  = figure.axes[0].yaxis
    texts = {text.get_text() for text in (*axis.get_majorticklabels(), *axis.get_minorticklabels())}
    assert wanted <= texts
    assert all(re.fullmatch(r"|[\d,]+", text) for text in texts), texts


def test_places_that_are_close_are_named_together():
    places = {1: (100, 5.0), 2: (101, 5.1), 3: (101, 50.0), 4: (900, 5.0),
              **{number: (1100, 7.0) for number in range(5, 12)}}

    assert group_close(places) == {
        (100, 5.0): ["1, 2"], (101, 50.0): ["3"], (900, 5.0): ["4"],
        (1100, 7.0): ["5, 6, 7", "8, 9, 10", "11"]}


def test_a_figure_without_a_network_that_fits(tools, tmp_path, monkeypatch):
    def refuse(network, config):
        raise InputError("it is too large")

    monkeypatch.setattr("xymac.boards.explore.measure.predict_cycles", refuse)

    assert main(["explore", "--network", DIGITS, "--plot", str(tmp_path / "points.png")]) == 0


@pytest.mark.parametrize(("luts", "cycles", "kept"), [
    ((1, 2, 3), (30, 20, 10), (0, 1, 2)), ((1, 2, 3), (10, 20, 30), (0,)),
    ((2, 2, 1), (10, 20, 20), (2, 0)), ((1, 1, 2), (10, 10, 10), (0,)),
    ((1, None, 3), (30, 1, 10), (0, 2)), ((1, 2, 3), ("too large", 20, 30), (1,))])
def test_the_front(luts, cycles, kept):
    points = [Point(size, "ecp5-85k", {} if count is None else {"LUT4": count}, "", 100.0,
                    cycles={"net": each}, traffic={"net": NOTHING})
              for size, count, each in zip((TINY, SMALL, BASE), luts, cycles, strict=True)]

    assert front(points, "net") == [points[index] for index in kept]
    assert front([replace(point, trouble="too big") for point in points], "net") == []


def test_the_title_names_the_layers_of_the_host():
    point = Point(TINY, "ecp5-85k", {}, "", 100.0, cycles={"net": 10},
                  traffic={"net": replace(NOTHING, computed=3)})

    assert network_table([point], "net").title == "net (the host computes 3 layers, not timed)"
    assert network_table([replace(point, traffic={})], "net").title == "net"


def test_a_figure_needs_a_network(capsys):
    assert main(["explore", "--plot", "f.svg"]) == 2
    assert capsys.readouterr().err == "xymac explore: --plot needs at least one --network\n"

# SPDX-License-Identifier: Apache-2.0
"""Figures of the layers show the counters of the device and the ideal cycles."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread

from tests.support.costs import DIGITS, NETWORK, PARTS, cells, counted, uncounted
from tests.support.seed import random_of
from xymac.hdl.config import TINY
from xymac.hdl.isa import COUNTERS
from xymac.host.cli.inputs import SEED
from xymac.host.cli.main import main
from xymac.host.cli.show.figure import check_figure, layer_figure, save_figure
from xymac.host.cli.show.layers import layer_markdown
from xymac.host.network.cost import layer_costs
from xymac.host.network.inference import classify
from xymac.sim.rtl.device import RtlDevice


@pytest.fixture(name="counted")
def fixture_counted():
    return counted()


def bars(axes):
    """Rows by label: where the bars start and how long they are."""
    return {container.get_label(): [(bar.get_y() + bar.get_height() / 2, bar.get_x(),
                                     bar.get_width()) for bar in container]
            for container in axes.containers}


def svg_texts(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_bars_are_the_counters(counted):
    axes, _ = layer_figure("title", counted).axes

    drawings = bars(axes)

    assert [label.split(":")[0] for label in drawings] == ["issued", "stall x", "stall y", "drain",
                                                        "fetch"]  # no host: it is 0
    for row, cost in enumerate(counted):
        start = 0
        for name, drawn in zip(PARTS, drawings.values(), strict=False):
            assert drawn[row] == pytest.approx((row, start, cost.counters[name]))
            start += cost.counters[name]
        assert start == cost.cycles
    assert [text.get_text() for text in axes.texts] == [f"{cost.cycles:,}" for cost in counted]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{cost.name}: {cost.kernel}" for cost in counted]


def test_marks_are_the_ideal(counted):
    cycles, shares = layer_figure("title", counted).axes

    for axes, scales in ((cycles, [1] * 5), (shares, [100 / cost.cycles for cost in counted])):
        marks, = axes.lines
        np.testing.assert_array_equal(marks.get_ydata(), range(5))
        np.testing.assert_allclose(marks.get_xdata(), [
            cost.ideal * scale for cost, scale in zip(counted, scales, strict=True)])


def test_an_ideal_above_the_cycles_has_room(counted, tmp_path):
    costs = [replace(cost, ideal=4.0 * cost.cycles) for cost in counted]

    figure = layer_figure("title", costs)
    save_figure(tmp_path / "f.png", figure)

    for axes in figure.axes:
        assert max(axes.lines[0].get_xdata()) <= axes.get_xlim()[1]
    for text, ideal in zip(figure.axes[0].texts, figure.axes[0].lines[0].get_xdata(), strict=True):
        assert ideal < text.get_position()[0] < figure.axes[0].get_xlim()[1]


def test_shares_add_up_to_the_layer(counted):
    _, axes = layer_figure("title", counted).axes

    for row, cost in enumerate(counted):
        drawn = [drawings[row][2] for drawings in bars(axes).values()]
        assert drawn == pytest.approx([100 * cost.counters[name] / cost.cycles
                                       for name in PARTS[:-1]])
    assert axes.get_xlim() == (0, max(100, *(100 * cost.ideal / cost.cycles for cost in counted)))


def test_a_layer_without_cycles_has_no_share(counted):
    counted[1].counters.update(dict.fromkeys(COUNTERS, 0))

    _, axes = layer_figure("title", counted).axes

    assert [drawings[1][2] for drawings in bars(axes).values()] == [0] * 5
    assert axes.lines[0].get_xdata()[1] == 0 < counted[1].ideal
    assert axes.get_xlim()[1] < 1000  # other layers keep their room


def test_without_cycles_the_ideal_cycles_are_drawn():
    costs = uncounted()
    axes, = layer_figure("title", costs).axes

    (_, drawn), = bars(axes).items()

    assert [width for _, _, width in drawn] == [cost.ideal for cost in costs]
    assert not axes.lines


def test_a_figure_says_what_it_shows(counted):
    figure = layer_figure("digits on tiny", counted)

    assert figure.get_suptitle() == "digits on tiny"
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "cycles", "share of the cycles of the layer, %"]
    assert figure.axes[0].get_ylabel() == "layer"
    legend, = figure.legends
    assert len(legend.get_texts()) == 6


def test_names_are_drawn_as_they_are(counted, tmp_path):
    odd = [replace(counted[0], name="$a_$ <b>"), *counted[1:]]

    save_figure(tmp_path / "f.svg", layer_figure("$x", odd))

    assert {"$x", f"$a_$ <b>: {odd[0].kernel}"} <= {*svg_texts(tmp_path / "f.svg")}


@pytest.mark.parametrize("name", ["f.png", "f.PNG", "f.svg"])
def test_a_written_figure_is_an_image(name, counted, tmp_path):
    path = tmp_path / name

    save_figure(path, layer_figure("digits on tiny", counted))

    if path.suffix == ".svg":
        assert {"digits on tiny", *(f"{cost.cycles:,}" for cost in counted)} <= {*svg_texts(path)}
    else:
        image = imread(path, format="png")
        assert image.shape[1] > 1000
        assert len(np.unique(image.reshape(-1, image.shape[2]), axis=0)) > 6
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_figure_is_the_same_file(suffix, counted, tmp_path):
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]

    for path in paths:
        save_figure(path, layer_figure("title", counted))

    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(("name", "message"), [
    ("f.pdf", r"^The file of a figure must end in \.png or \.svg, not .*f\.pdf$"),
    ("png", r"^The file of a figure must end in \.png or \.svg, not .*png$"),
    ("gone/f.png", "^Cannot write .*: there is no folder .*gone$"),
    (".", r"^The file of a figure must end in "),
    ("folder.svg", r"^Cannot write .*folder\.svg: it is a folder$")])
def test_refusals(name, message, tmp_path):
    (tmp_path / "folder.svg").mkdir()

    with pytest.raises(ValueError, match=message):
        check_figure(tmp_path / name)


def test_a_folder_that_may_not_be_written_to_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("xymac.host.files.whole.os.access", lambda path, mode: False)

    with pytest.raises(ValueError, match=r"^Cannot write .*f\.svg: permission denied$"):
        check_figure(tmp_path / "f.svg")


@pytest.mark.parametrize("backend", ["golden", "machine"])
def test_run_draws_the_ideal_that_it_prints(backend, capsys, tmp_path):
    path = tmp_path / "layers.svg"

    code = main(["run", str(DIGITS), "--backend", backend, "--size", "tiny", "--markdown",
                 "--plot", str(path)])

    ideals = [row[-1] for row in cells(capsys.readouterr().out.splitlines())[1:]]
    assert code == 0
    assert {f"digits_cnn, size tiny: ideal {ideals[-1]} cycles", *ideals[:-1]} <= {*svg_texts(path)}


def test_run_draws_the_cycles_that_it_prints(capsys, tmp_path):
    path = tmp_path / "layers.svg"

    main(["run", str(DIGITS), "--size", "tiny", "--markdown", "--plot", str(path)])

    table = cells(capsys.readouterr().out.splitlines())
    data  = random_of(SEED).integers(-128, 128, NETWORK.input_shape, np.int8)
    with RtlDevice(TINY) as device:
        inference = classify(NETWORK, [data], device=device)
    assert table == cells(layer_markdown(layer_costs(NETWORK, inference, TINY)))
    cycles, ideal, used = table[-1][4:7]
    assert {f"digits_cnn, one image on tiny: {cycles} cycles, ideal {ideal} ({used})",
            *(row[4] for row in table[1:-1])} <= {*svg_texts(path)}

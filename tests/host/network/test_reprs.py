# SPDX-License-Identifier: Apache-2.0
"""Short texts of objects, tables in HTML for notebooks, and sentences about wrong types."""

import html.parser
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import xymac
from tests.support.costs import counted
from tests.support.tflite.networks import constant, conv_network, value
from xymac.golden.mli1 import Sigmoid, Tensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import COUNTERS
from xymac.host.accuracy.score import score
from xymac.host.files.html import html_table
from xymac.host.network.cost import layer_costs, total_cost
from xymac.host.network.tflite import network_of
from xymac.host.plural import plural
from xymac.host.tflite import options
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.writer import write_model

NET  = Path(__file__).parents[3] / "host/examples/data/digits_cnn.tflite"
SCORE   = score("Labels", np.array([0, 1]), np.array([[0.9, 0.1], [0.8, 0.2]]))
STIMULI = xymac.generate(xymac.Supports("relu", "tflm"), 3, 0)
VERDICT = xymac.explain(STIMULI.cases, [case.expected() for case in STIMULI.cases])
with xymac.open_device("machine", "tiny") as opened:
    LAYER = xymac.run_layer(opened, Sigmoid(), Tensor(np.array([-1, 0, 5], np.int8), 7))
EVIL = "<script>alert(1)</script>&\x1b"


@pytest.fixture(scope="module")
def ran():
    """Objects of a run, by what they are."""
    model   = xymac.read_model(NET.read_bytes())
    network = xymac.load_model(NET)
    images  = xymac.load_images(NET.with_name("digits_pixels.npz"), network)
    with xymac.open_device("machine", "tiny") as device:
        session = xymac.Session(network, device)
        run     = session.run(images.data[0])
        return {"model": model, "network": network, "images": images, "device": device,
                "session": session, "run": run, "output": run.outputs[0],
                "inference": xymac.classify(network, images.data[:2], device=device),
                "tensor": model.tensors[2], "executable": session.plan.executable,
                "costs": counted(), "layer": LAYER, "score": SCORE, "stimuli": STIMULI,
                "case": STIMULI.cases[0], "verdict": VERDICT, "library": VERDICT.rule,
                "rule": xymac.Rule(acc_bits=20)}


class Cells(html.parser.HTMLParser):
    """Cells and tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.tags, self._open = [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")
            self._open = True

    def handle_endtag(self, tag):
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data):
        if self._open:
            self.cells[-1] += data


@pytest.mark.parametrize(("name", "words"), [
    ("model", "8 operators"), ("network", "digits_cnn: 8 layers"),
    ("images", "300 of int8 1x8x8x1"), ("device", "size tiny"),
    ("session", "digits_cnn on <MachineDevice, size tiny>"),
    ("run", "equal to golden"), ("output", "Tensor(int8 1x10"), ("tensor", "constant INT32 16"),
    ("inference", "2 images, equal to golden"), ("executable", "steps a run"),
    ("costs", "5 layers, "), ("layer", "<LayerRun: Tensor(int8 3"), ("score", "1 of 2 right"),
    ("stimuli", "3 cases"), ("case", "<Case relu 0: relu tflm int8>"),
    ("verdict", "<Verdict: all "), ("rule", "Rule(acc_bits=20)"), ("library", "Rule()")])
def test_a_text_is_a_line_that_says_what_it_is(name, words, ran):
    text = repr(ran[name])

    assert words in text
    assert "\n" not in text
    assert len(text) < 200


@pytest.mark.parametrize(("name", "rows", "cells"), [
    ("model", 8, ["number", "CONV_2D"]), ("network", 8, ["operator", "SOFTMAX", "conv0"]),
    ("run", 8, ["lowest", "conv0", "INT8 1x8x8x16"]), ("inference", 2, ["class"]),
    ("costs", 5, ["cycles", f"{counted()[0].cycles:,}"]), ("score", 2, ["label"])])
def test_notebooks_show_tables(name, rows, cells, ran):
    page = Cells(ran[name]._repr_html_())

    assert {"table", "caption", "thead", "tbody"} <= page.tags
    assert ran[name]._repr_html_().count("<tr>") == rows + 1
    assert set(cells) <= set(page.cells)


def test_only_counted_cycles_are_a_column(ran):
    run = ran["run"]  # of a device without a clock

    counted = replace(run, counters=[dict.fromkeys(COUNTERS, 7)] * 8)

    assert "cycles" not in Cells(run._repr_html_()).cells
    assert Cells(counted._repr_html_()).cells[-1] == "7"
    assert "cycles" in Cells(counted._repr_html_()).cells


def test_heads_stand_over_their_values():
    text = html_table("title", ("name", "count"), [("<a>", 3), ("b", 4)])

    assert "<th style='text-align:left'>name</th><th style='text-align:right'>count</th>" in text
    assert "<th style='text-align:left'>name</th>" in html_table("title", ("name",), [])


def test_names_of_layers_are_shown_and_not_run():
    model = conv_network()
    model = replace(model, tensors=(*model.tensors[:3], replace(model.tensors[3], name=EVIL),
                                    *model.tensors[4:]))
    network = network_of(xymac.read_model(write_model(model)), EVIL)
    run     = xymac.Session(network).run(np.zeros((1, 6, 5, 2), np.int8))
    costs   = counted()
    costs[0] = replace(costs[0], name=EVIL)

    for each in (model, network, run, costs):
        text = each._repr_html_()
        page = Cells(text)
        assert "script" not in page.tags
        assert "\x1b" not in text
        assert any("<script>alert(1)</script>&\\x1b" in cell for cell in page.cells)


def test_the_whole_of_costs_is_their_sum():
    costs = counted()

    assert f"{total_cost(costs).cycles:,} cycles" in repr(costs)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: xymac.open_device("machine", "bse"), r"not 'bse'; did you mean base\?$"),
    (lambda: xymac.open_device("machine", 4), "^config must be a CoreConfig or str, not int$"),
    (lambda: xymac.open_device(None, "base"), "^name must be a str, not NoneType$"),
    (lambda: xymac.open_device("machin", "base"), r"did you mean machine\?$"),
    (lambda: xymac.load_model(None), "^path must be a str or PathLike, not NoneType, the name of"),
    (lambda: xymac.load_images("x.npz", str(NET)), "^network must be a Network .*: load_model"),
    (lambda: xymac.load_images(3, None), "^path must be a str or PathLike, not int"),
    (lambda: xymac.classify(str(NET), []), "^network must be a Network, not str: load_model reads"),
    (lambda: xymac.Session(xymac.load_model(NET), "rtl"),
     "^device must be a Device, not str: open_device opens one by its name$"),
    (lambda: xymac.run_layer("rtl", None), "^device must be a Device, not str: open_device")])
def test_wrong_types_are_a_sentence_that_names_the_argument(call, message):
    with pytest.raises(xymac.InputError, match=message):
        call()


@pytest.mark.parametrize("size", ["tiny", "ways=2,y_rows=1024", xymac.CORES["small"]])
def test_a_device_opens_by_the_name_of_its_size(size):
    with xymac.open_device("machine", size) as device:
        assert device.config.ways == {"tiny": 1}.get(str(size), 2)


def test_help_is_a_page():
    text = xymac.__doc__

    assert 20 <= text.count("\n") <= 50
    for name in ("load_model", "load_images", "open_device", "classify", "Session", "run_layer"):
        assert f"``{name}``" in text or f"xymac.{name}(" in text


def test_a_count_of_one_and_a_scalar_have_words_of_their_own():
    scalar = constant("c", np.array(3, np.int8), (0.5,))
    model  = Model((value("x", (1, 4)), scalar, value("y", (1, 4))),
                   (Operator("MUL", (0, 1), (2,), options.MulOptions()),), (0,), (2,))
    network = network_of(model, "one")

    assert repr(scalar).endswith("INT8 scalar>")
    costs = layer_costs(network, xymac.classify(network, np.zeros((1, 1, 4), np.int8)), TINY)
    assert [cost.shape for cost in costs] == ["1x4, scalar > 1x4"]
    with xymac.open_device("machine", "tiny") as device:
        assert ": 1 layer, " in repr(xymac.Session(network, device).plan)
    assert " 1 pass, " in repr(LAYER.result)
    assert plural(1, "pass", "passes") == "1 pass"
    assert plural(1200, "pass", "passes") == "1,200 passes"

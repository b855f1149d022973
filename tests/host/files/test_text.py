# SPDX-License-Identifier: Apache-2.0
"""Names from files never reach a format or a terminal unescaped."""

import json
import re

import numpy as np
import pytest

from tests.support.tflite.networks import value
from xymac.hdl.config import TINY
from xymac.host.cli.main import main
from xymac.host.cli.show.figure import layer_figure, save_figure
from xymac.host.cli.show.layers import layer_markdown
from xymac.host.files.arrays import load_arrays, save_arrays
from xymac.host.files.text import plain
from xymac.host.network.cost import LayerCost
from xymac.host.network.linker import compile_network
from xymac.host.network.standalone import make_standalone, save_standalone
from xymac.host.network.tflite import network_of
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.writer import write_model

EVIL = "a\nb\x1b]0;x\x07\x9b2J|$\\frac\u202ec"


def evil_model():
    """A RELU of two outputs, all of whose tensors have such names."""
    tensors = tuple(value(f"{EVIL}{number}", (1, 4)) for number in range(3))
    relus   = (Operator("RELU", (0,), (1,)), Operator("RELU", (1,), (2,)))
    return Model(tensors, relus, (0,), (1, 2))


@pytest.mark.parametrize(("text", "shown"), [
    ("conv0/Relu;x", "conv0/Relu;x"), ("größe 3", "größe 3"), ("a\nb", "a\\nb"),
    ("\x1b[2J", "\\x1b[2J"), ("\x9b2J", "\\x9b2J"), ("a\u202eb", "a\\u202eb"),
    ("\u2028", "\\u2028"), ("\ud800", "\\ud800"), ("\0", "\\x00")])
def test_plain(text, shown):
    assert plain(text) == shown
    assert plain(text, keep="\n") == (text if text == "a\nb" else shown)


@pytest.mark.parametrize("arguments", [[], ["--markdown"]])
def test_a_terminal_gets_no_control_characters(arguments, tmp_path, capsys):
    path = tmp_path / "net.tflite"
    path.write_bytes(write_model(evil_model()))

    assert main(["run", str(path), "--backend", "golden", *arguments,
                 "--outputs", str(tmp_path / "o.npz"), "--json", str(tmp_path / "o.json")]) == 0

    told = capsys.readouterr()
    assert "\\x1b]0" in told.out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told.out + told.err)
    assert set(load_arrays(tmp_path / "o.npz")) == {f"{EVIL}1", f"{EVIL}2"}
    assert json.loads((tmp_path / "o.json").read_text())["layers"][0]["name"] == f"{EVIL}1"


def test_refusals_have_no_control_characters(tmp_path, capsys):
    assert main(["run", str(tmp_path / EVIL)]) == 2
    for arguments in ([EVIL], ["run", "--backend", EVIL], ["run", f"--{EVIL}"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", capsys.readouterr().err)


def test_rows_of_markdown():
    cost = LayerCost(EVIL, EVIL, "RELU", "4", "int8", None, 1.0, None, 0)

    lines = list(layer_markdown([cost]))

    assert len(lines) == 4
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_figures(tmp_path):
    cost = LayerCost(EVIL, "", "RELU", "4", "int8", None, 1.0, None, 0)

    save_figure(tmp_path / "f.svg", layer_figure(EVIL, [cost]))

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", (tmp_path / "f.svg").read_text())


def test_names_in_hex_files_stay_in_comments(tmp_path):
    compiled = compile_network(network_of(evil_model(), EVIL), TINY)
    save_standalone(tmp_path, make_standalone(compiled, [np.zeros((1, 4), np.int8)]))

    for name in ("rom.hex", "ram.hex"):
        lines = (tmp_path / name).read_text().split("\n")
        assert all(re.fullmatch(r"//[ -~]*|([0-9A-F]{8} ?)+|", line) for line in lines)


@pytest.mark.parametrize("name", ["file", "allow_pickle", "args", "arr_0", "x.npy", "a/../b", "\n",
                                  "", "größe", EVIL])
def test_arrays_of_any_name(name, tmp_path):
    arrays = {name: np.arange(3), "other": np.zeros((2, 0), np.int8)}

    save_arrays(tmp_path / "a.npz", arrays)

    with np.load(tmp_path / "a.npz") as file:
        assert set(file.files) == set(arrays)
    back = load_arrays(tmp_path / "a.npz")
    assert all((back[key] == array).all() and back[key].dtype == array.dtype
               for key, array in arrays.items())


@pytest.mark.parametrize("names", [
    ("a", "a"), ("a\0b", "a\\x00b"), ("", "output"), ("x" * 70_000, "x" * 70_001),
    ("\u20ac" * 30_000, "file"), ("a_1", "a", "a")])
def test_outputs_of_any_names(names, tmp_path):
    """None is lost: names that an archive cannot tell apart get numbers."""
    values = tuple(value(name, (1, 4)) for name in ("x", *names))
    model  = Model(values, tuple(Operator("RELU", (0,), (1 + number,))
                                 for number in range(len(names))), (0,),
                   tuple(range(1, len(values))))
    (tmp_path / "net.tflite").write_bytes(write_model(model))

    assert main(["run", str(tmp_path / "net.tflite"), "--backend", "golden", "--outputs",
                 str(tmp_path / "y.npz")]) == 0

    with np.load(tmp_path / "y.npz") as file:
        assert len({*file.files}) == len(names)

# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog in Icarus: of 2005, of SystemVerilog, and from unknown registers."""

import shutil

import numpy as np
import pytest

from tests.boards.test_soc import SOURCES, result_of
from tests.support.seed import random_of
from tests.support.sizes import between
from tests.support.soc.icarus import POWER_UP, need_icarus, simulate_icarus, without_initial_values
from tests.support.soc.master import array_at
from tests.support.soc.simulation import documented_lines
from xymac.boards.commands.verilog import export_files
from xymac.boards.tools.settled import settle
from xymac.golden.mli1 import FullyConnected, Sigmoid, Tensor
from xymac.hdl.config import TINY
from xymac.host.network.linker import compile_network
from xymac.host.network.network import join_layers
from xymac.host.network.session import Session
from xymac.host.network.standalone import make_standalone, save_standalone

#: Identity, version and geometry: each once, and as it should be.
ANSWERS = ["434d5958 00 1", "00000002 00 1", "00002001 00 1"]


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Folder with the core as it is exported, and without its initial values."""
    need_icarus()
    folder = tmp_path_factory.mktemp("icarus")
    text   = export_files(TINY)["xymac_tiny.v"]
    (folder / "known.v").write_text(text)
    (folder / "unknown.v").write_text(without_initial_values(text))
    return folder


@pytest.mark.parametrize(("language", "registers"), [
    between("2005", "known"), ("2012", "known"), ("2012", "unknown")])
def test_the_first_words_are_answered_once(language, registers, core, tmp_path):
    said = simulate_icarus(tmp_path, language, "power_up", [core / f"{registers}.v", POWER_UP])

    assert said.split("\n")[:3] == ANSWERS
    assert "\n" not in said.split(ANSWERS[-1])[1].strip()


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """Folder with ROM and RAM of a small network with a table, and what golden computes."""
    rng, folder = random_of(510), tmp_path_factory.mktemp("network")
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape).astype(np.int8), 7)
                        for shape in ((6,), (5, 6), (5,)))
    network = join_layers("small", x, (FullyConnected(weights, bias, out_frac_bits=4), Sigmoid()))
    made = make_standalone(compile_network(network, TINY), [x.data])
    save_standalone(folder, made)
    return folder, Session(network).run(x.data).outputs[0].data


@pytest.mark.parametrize(("language", "registers"), [
    between("2005", "known"), between("2012", "known"), ("2012", "unknown")])
def test_a_network_on_the_system(language, registers, core, network, tmp_path):
    """From unknown registers, memories and tables too: what a program needs is written before."""
    folder, expected = network
    for name in ("rom.hex", "ram.hex", "memory.json"):
        shutil.copy(folder / name, tmp_path)

    said = simulate_icarus(
        tmp_path, language, "xymac_soc_bench", [core / f"{registers}.v", *SOURCES], "+limit=9000",
        defines=["XYMAC_CORE=xymac_tiny"])

    assert "xymac_soc: runs: 1," in said
    ram, content = result_of(tmp_path)
    np.testing.assert_array_equal(array_at(ram, content["outputs"][0]), expected)


def test_the_system_is_built_with_assertions():
    """For Verilator, in which ``test_soc`` runs it."""
    [line] = [words for words in documented_lines() if words[0] == "verilator"]

    assert "--assert" in line


ALONE  = "module a;\n  always @* begin\n  end\nendmodule\n"
UNREAD = ("module a;\n  reg \\$auto$verilog_backend.cc:1:dump_module$1  = 0;\n  always @* begin\n"
          "    x = y;\n  end\nendmodule\n")


@pytest.mark.parametrize(("source", "sentence"), [
    (ALONE, "Every module with always @. must have a register"),
    (UNREAD, "Every always @. must read the register")])
def test_blocks_that_nothing_would_run_are_refused(source, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        settle(source)

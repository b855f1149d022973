# SPDX-License-Identifier: Apache-2.0
"""``xymac verilog``: complete files, or one sentence."""

import os
import re
import subprocess
import sys

from tests.support.licence import is_licensed
from tests.support.modules import ROOT
from xymac.host.c.sources import MLI
from xymac.host.cli.main import main


def test_files_are_complete(exported):
    listed = (exported / "files.f").read_text().split()

    assert listed == ["xymac_tiny.v"]
    assert sorted(path.name for path in exported.iterdir()) == [
        "files.f", "mli", "soc.f", "xymac.c", "xymac.h", "xymac_edges.c", "xymac_edges.h",
        "xymac_external.c", "xymac_external.h", "xymac_list.c", "xymac_memory.h", "xymac_network.c",
        "xymac_network.h", "xymac_registers.py", "xymac_soc.v", "xymac_soc_bench.v",
        "xymac_soc_master.v", "xymac_soc_memory.v", "xymac_tiny.core", "xymac_tiny.slang",
        "xymac_tiny.v", "xymac_tiny.vlt"]
    mli = exported / "mli"
    assert {path.relative_to(mli).as_posix() for path in mli.rglob("*.*")} == {*MLI}


def test_every_source_names_its_licence_once(exported):
    sources = [path for path in exported.rglob("*.*") if path.suffix not in (".f", ".slang")]

    assert len(sources) == 37
    assert [path.name for path in sources if not is_licensed(path.read_text())] == []


def test_the_registers_for_python_hide_no_module_of_ours(exported):
    text = ("import xymac, xymac_registers as registers\n"
            "print(xymac.CORES['tiny'].name, len(registers.pack({})) == registers.PASS_WORDS)")

    run = subprocess.run(
        [sys.executable, "-c", text], cwd=exported, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)

    assert (run.returncode, run.stdout) == (0, "tiny True\n"), run.stderr


def test_verilog_has_the_bus_and_no_paths(exported):
    text = (exported / "xymac_tiny.v").read_text()
    top = re.search(r"^module xymac_tiny\((.*?)\);", text, re.DOTALL | re.MULTILINE)[1]

    assert {"clk", "rst", "irq", "s_axi_awaddr", "s_axi_rdata"} <= set(re.findall(r"\w+", top))
    assert "attribute src" not in text
    assert "(* src" not in text


def test_a_core_with_a_dma_has_bursts_as_slave_and_as_master(tmp_path):
    assert main(["verilog", "--size", "tiny,dma=32", "--axi4", "-o", str(tmp_path)]) == 0

    [core] = tmp_path.glob("*.v")
    text = core.read_text()
    top = re.search(rf"^module {core.stem}\((.*?)\);", text, re.DOTALL | re.MULTILINE)[1]
    assert {"irq", "s_axi_awlen", "s_axi_wlast", "m_axi_arlen"} <= set(re.findall(r"\w+", top))


def test_registers_have_names_that_a_person_reads_in_a_waveform(exported):
    blocks = re.findall(r"^  always @\(posedge clk\)\n.*?;$",
                        (exported / "xymac_tiny.v").read_text(), re.DOTALL | re.MULTILINE)

    registers = [re.search(r"(\S+)\s*(?:\[.*\]\s*)?<= ", block)[1] for block in blocks]
    assert len(registers) > 500
    assert [name for name in registers if name.startswith(("\\$signal", "\\$like"))] == []


def test_an_unwritable_folder_is_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("xymac.boards.commands.verilog.export_files", lambda config: {})
    (tmp_path / "file").write_text("")

    code = main(["verilog", "--size", "tiny", "-o", str(tmp_path / "file" / "below")])

    error = capsys.readouterr().err
    assert code == 2
    assert re.fullmatch(r"xymac verilog: Cannot make the folder .*below: .* is a file\n", error)

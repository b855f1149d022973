# SPDX-License-Identifier: Apache-2.0
"""Icarus Verilog, where it is installed, and Verilog without initial values."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["POWER_UP", "need_icarus", "simulate_icarus", "without_initial_values"]

POWER_UP  = Path(__file__).with_name("power_up.v")  #: Bench that reads the first words of a core.
_REGISTER = re.compile(r"^(  reg [^=;\n]*?) = [^;\n]*;$", re.MULTILINE)
_MEMORY   = re.compile(r"^  initial begin\n(?:    .*;\n)*  end\n", re.MULTILINE)
_TRIGGER  = re.compile(r"^  initial .*;\n", re.MULTILINE)


def without_initial_values(source):
    """Verilog from yosys whose registers and memories are unknown until something writes them."""
    for pattern, text in ((_REGISTER, r"\1;"), (_MEMORY, ""), (_TRIGGER, "")):
        source = pattern.sub(text, source)
    assert "initial" not in source
    return source


def need_icarus():
    """Skip the test where Icarus is not installed: there is no wheel of it."""
    if not shutil.which("iverilog"):
        pytest.skip("Icarus Verilog is not installed (Debian: apt install iverilog)")


def simulate_icarus(folder, language, top, sources, *arguments, defines=()):
    """Output of a simulation in a folder, its sources in a version of the language, as ``2012``."""
    for command in (["iverilog", f"-g{language}", *(f"-D{each}" for each in defines), "-s", top,
                     "-o", "simulation", *sources], ["vvp", "-n", "simulation", *arguments]):
        done = subprocess.run(command, cwd=folder, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert not done.returncode, done.stdout[-2000:]
    return done.stdout

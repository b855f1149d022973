# SPDX-License-Identifier: Apache-2.0
"""The lines that the documents give for the system on a chip, in each simulator installed here."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.soc.simulation import documented_chapter
from xymac.host.cli.main import main

ROOT = Path(__file__).parents[2]
#: Programs beside this Python come last, as in a shell whose PATH begins with a distribution's.
PATH = os.pathsep.join([os.environ["PATH"], str(Path(sys.executable).parent)])


def printed():
    """Lines of the examples by the simulator that they start: {program: lines}."""
    blocks = re.findall(r"```\n(.*?)```", documented_chapter(), re.DOTALL)
    lines  = [[line for line in block.splitlines() if line.startswith("(cd ")] for block in blocks]
    return {shlex.split(each[0].partition("&& ")[2])[0]: each for each in lines if each}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder in which the first two lines have run."""
    place = tmp_path_factory.mktemp("lines")
    (place / "host").symlink_to(ROOT / "host")
    before = re.search(r"```\n(xymac .*?\n)\(", documented_chapter(), re.DOTALL)[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for line in before.splitlines():
            assert main(shlex.split(line)[1:]) == 0
    return place


def test_three_simulators():
    assert list(printed()) == ["verilator", "verilator-cli", "iverilog"]


@pytest.mark.long
@pytest.mark.parametrize("program", printed())
def test_the_lines_run(program, folder):
    """Debian's Verilator 5.006 reads waivers only in front of the Verilog."""
    if shutil.which(program, path=PATH) is None:
        pytest.skip(f"{program} is not installed")
    shutil.rmtree(folder / "build/soc/obj_dir", ignore_errors=True)
    (folder / "build/digits/result.hex").unlink(missing_ok=True)
    said = ""
    for line in printed()[program]:
        done = subprocess.run(["bash", "-c", line], cwd=folder, check=False, text=True,
                              env=os.environ | {"PATH": PATH}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert not done.returncode, done.stdout[-2000:]
        said = done.stdout

    assert re.search(r"^xymac_soc: runs: 1, cycles: \d+$", said, re.MULTILINE)
    assert (folder / "build/digits/result.hex").exists()

# SPDX-License-Identifier: Apache-2.0
"""The core in a LiteX design of others, as ``docs/soc.md`` shows it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.litex import needs_litex

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/soc.md").read_text(encoding="utf-8")

pytestmark = needs_litex


def run_python(*words, folder):
    """Run Python in a folder with the tree on its path; returns (code, printed text)."""
    done = subprocess.run([sys.executable, *words], cwd=folder, check=False, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    """Folder of the documented design, built by the documented command."""
    folder = tmp_path_factory.mktemp("design")
    name, source = re.search(r"```python\n# (\w+\.py)\n(.*?)```", TEXT, re.DOTALL).groups()
    (folder / name).write_text(source)
    [command] = re.findall(r"^python (.*)$", TEXT, re.MULTILINE)
    code, printed = run_python(*command.split(), folder=folder)
    assert code == 0, printed
    return folder / "my_design"


def test_the_core_is_on_the_bus_with_an_interrupt(design):
    content = json.loads((design / "csr.json").read_text())
    headers = design / "software/include/generated"

    assert content["memories"]["xymac"] == {"base": 0x9000_0000, "size": 4 << 20, "type": "io"}
    assert re.search(r"#define XYMAC_INTERRUPT \d+", (headers / "soc.h").read_text())
    assert "#define XYMAC_BASE 0x90000000L" in (headers / "mem.h").read_text()
    assert "xymac_ev_enable_write(" in (headers / "csr.h").read_text()


def test_sources_and_pins_are_those_of_the_board(design):
    [script] = (design / "gateware").glob("*.ys")
    [pins]   = (design / "gateware").glob("*.lpf")
    [core]   = re.findall(r"read_verilog\s+(\S+/xymac_small\.v)", script.read_text())

    assert Path(core).is_file()
    assert re.search(r'LOCATE COMP "sdram_dq\[15\]" SITE', pins.read_text())


def test_the_documented_lines_of_a_simulation_are_printed(capsys):
    from xymac.host.cli.main import main

    [command] = re.findall(r"^xymac (simulate .*)$", TEXT, re.MULTILINE)
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    shape   = re.compile(r"[\d.]+")
    shown   = re.search(r"\n(image 0.*\n.*second)\n```", TEXT)[1].splitlines()

    for line in shown:
        assert shape.sub("N", line) in shape.sub("N", printed)

# SPDX-License-Identifier: Apache-2.0
"""The chapter on programs over embARC MLI: its commands record a program's calls and link it."""

import re
import subprocess
from pathlib import Path

from xymac.host.cli.main import main

ROOT    = Path(__file__).parents[2]
CHAPTER = (ROOT / "docs/integration.md").read_text(encoding="utf-8").partition(
    "\n### Programs over the functions of embARC MLI 1.x\n")[2].partition("\n## ")[0]
LINES   = re.search(r"```\n(.*?)```", CHAPTER, re.DOTALL)[1].replace("\\\n", " ").splitlines()
PROGRAM = """
#include <stdio.h>
#include "mli_api.h"
int main(void)
{
    int8_t x[4] = {-3, 0, 5, 127}, y[4];
    mli_tensor in = {0}, out = {0};
    mli_relu_cfg cfg = {MLI_RELU_GEN};
    in.data = x, in.capacity = sizeof x, in.rank = 1, in.shape[0] = 4, in.el_type = MLI_EL_FX_8;
    in.el_params.fx.frac_bits = 7;
    out.data = y, out.capacity = sizeof y;
    printf("%d:", mli_krn_relu_fx8(&in, &cfg, &out));
    printf(" %d %d %d %d\\n", y[0], y[1], y[2], y[3]);
    return 0;
}
"""
BUS = """
#include "xymac.h"
int xymac_bus_open(xymac_core *core) { (void)core; return 1; } /* no core on this computer */
"""


def test_the_commands_of_the_chapter(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, text in (("program.c", PROGRAM), ("bus.c", BUS)):
        Path(name).write_text(text)
    assert main(["verilog", "--size", "tiny", "-o", "build/verilog"]) == 0

    for line in LINES:
        command, _, words = line.partition(" ")
        if command == "xymac":
            assert main(words.split()) == 0
        else:
            subprocess.run(line, shell=True, check=True)
    program = subprocess.run("./program", capture_output=True, text=True, check=True)

    assert [line.split()[0] for line in LINES] == ["cc", "xymac", "cc"]
    out = capfd.readouterr().out
    assert "0: 0 0 5 127\n" in out
    assert "./recorded: 1 call, size base, 0 of them refused" in out
    assert not program.stdout.startswith("0:")  # no core has answered

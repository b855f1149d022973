# SPDX-License-Identifier: Apache-2.0
"""Files for GTKWave and Surfer: each signal that they name is in the waveforms."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import pywellen

from xymac.hdl.config import COMPACT, TINY
from xymac.hdl.isa import Access, Op, Pass
from xymac.host.device.waves import Waves
from xymac.sim.rtl.device import RtlDevice

PASS = Pass(x=Access(0, 0, 99, (1, 0, 0)), y=Access(0, 0, 99, (1, 0, 0)),
            z=Access(200, 200, 299, (1, 0, 0)), outer=(20, 1, 1), taps=(1, 1, 1))
LAST = replace(PASS, last=True)


def record(config, folder, passes):
    """Waveforms of a program in ``folder``: a dict of variables by name."""
    waves = Waves(folder / "core.fst", "fst", save=folder / "core.gtkw",
                  state=folder / "core.surf.ron", shown=Path("shown.fst"))
    with RtlDevice(config, waves=waves) as device:
        device.label(dict(enumerate(["first layer", "second"])))
        device.load_program(passes)
        device.run()
    return {each.full_name: each for each in pywellen.Waveform(str(waves.path)).all_vars()}


def check_viewers(folder, names):
    """Both files name only signals that exist; returns these names."""
    save = (folder / "core.gtkw").read_text().splitlines()
    assert '[dumpfile] "shown.fst"' in save
    shown = [line.partition("[")[0] for line in save if re.match(r"\w", line)]
    state = (folder / "core.surf.ron").read_text()
    assert 'source: File("shown.fst"), format: Fst' in state
    found = [".".join([*re.findall(r'"(\w+)"', scopes), name]) for scopes, name in
             re.findall(r'strs: \[([^\]]*)\][^"]*name: "(\w+)"', state)]
    assert found == shown
    assert set(shown) <= names
    count = int(re.search(r"display_item_ref_counter: (\d+)", state)[1])
    assert state.count("item_ref: (") == count - 1 == len(shown) + save.count("@200")
    for opened, closed in ("()", "[]", "{}"):
        assert state.count(opened) == state.count(closed)
    return shown


@pytest.mark.long
def test_waves_of_a_core(tmp_path):
    """Passes, layers and operations read as names, at the times of the pass."""
    variables = record(TINY, tmp_path, [PASS, LAST])
    shown = check_viewers(tmp_path, variables.keys())

    texts = {name: [value for _, value in variables[f"guide.{name}"].tv]
             for name in ("state", "layer", "pass", "opcode")}
    assert texts["state"] == ["IDLE", "BUSY", "DONE", "IDLE"]
    assert texts["layer"] == ["-", "first_layer", "second", "-"]
    assert texts["pass"] == ["-", "0", "1", "-"]
    assert texts["opcode"] == ["-", Op.MAC.name, "-"]
    assert {value for _, value in variables["core.step.op"].tv} <= set(Op.__members__)
    assert {"guide.layer", "core.step.op", "core.irq"} <= set(shown)
    assert not [name for name in variables if "$" in name or "port_" in name]


@pytest.mark.long
def test_waves_of_the_compact_core(tmp_path):
    variables = record(COMPACT, tmp_path, [LAST])
    assert "guide.state" in check_viewers(tmp_path, variables.keys())
    assert [value for _, value in variables["guide.state"].tv] == ["IDLE", "BUSY", "DONE", "IDLE"]

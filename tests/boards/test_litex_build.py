# SPDX-License-Identifier: Apache-2.0
"""``xymac build --soc``: refusals, a program for a board, and synthesis with LiteX's pins."""

import re

import numpy as np
import pytest

from tests.support.litex import needs_litex
from xymac.boards.attempt import Target, flow_of, synthesise
from xymac.boards.board import find_board
from xymac.boards.commands.build import report_lines
from xymac.boards.firmware import flash
from xymac.boards.firmware.flash import flash_image
from xymac.boards.litex.flow import NEEDS, SYSTEMS, check_system_fit
from xymac.boards.tools.resources import hard_cells
from xymac.hdl.config import find_size
from xymac.host.cli.main import main
from xymac.sim.board import soc_command


@pytest.mark.parametrize(("words", "sentence"), [
    ("--board icebreaker --soc",
     r"A system with a processor is for the boards ulx3s-25f, ulx3s-85f, not for icebreaker"),
    ("--board ulx3s-85f --soc --size base",
     (r"A system with a core of size base does not fit the LFE5U-85F of ulx3s-85f: it needs "
      r"[\d,]+ block RAM of 208")),
    ("--board ulx3s-85f --network x.tflite",
     r"--network needs --soc, whose processor runs the program"),
    ("--board ulx3s-85f --soc --images x.npz",
     r"--images needs --network, whose program has the images"),
    ("--board ulx3s-85f --soc --network x.tflite --seeds 3",
     r"--seeds is for bitstreams, and --network makes a program alone"),
    ("--board ulx3s-85f --soc --network x.tflite --cluster local",
     r"--cluster is for bitstreams, and --network makes a program alone")])
def test_refusals(words, sentence, tmp_path, capsys):
    assert main(["build", *words.split(), "-o", str(tmp_path / "made")]) == 2
    assert re.fullmatch(rf"xymac build: {sentence}\n", capsys.readouterr().err)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_default_core_fits(name):
    check_system_fit(find_board(name), SYSTEMS[name].size)


@needs_litex
def test_a_program_for_the_board(tmp_path, capsys):
    code = main(["build", "--board", "ulx3s-85f", "--soc", "--size", "tiny", "--network",
                 str(soc_command._NETWORK), "--limit", "1", "-o", str(tmp_path)])

    data, printed = (tmp_path / "program.bin").read_bytes(), capsys.readouterr().out
    assert code == 0
    assert f"program.bin, {len(data):,} bytes, digits_cnn with 1 image; load it with" in printed
    assert "litex_term --speed 2000000 --kernel" in printed
    assert np.frombuffer(data, "<u4")[0] & 0xFFF == 0x06F  # a jump over the trap entry
    assert (tmp_path / "program.fbi").read_bytes() == flash_image(data)
    assert re.search(r"openFPGALoader --board ulx3s --write-flash --offset 0x400000 --file-type "
                     r"raw \S+program\.fbi\n", printed)
    assert re.search(r"`xymac load --board ulx3s-85f --program \S+program\.fbi`", printed)


@needs_litex
def test_a_program_larger_than_the_flash_still_comes_over_the_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(flash, "FLASH_SIZE", (4 << 20) + 1000)
    (tmp_path / "program.fbi").write_text("of another program")

    code = main(["build", "--board", "ulx3s-85f", "--soc", "--size", "tiny", "--network",
                 str(soc_command._NETWORK), "--limit", "1", "-o", str(tmp_path)])

    printed = capsys.readouterr().out
    size    = (tmp_path / "program.bin").stat().st_size + 8
    assert code == 0
    assert "litex_term --speed" in printed
    assert (f"no {tmp_path}/program.fbi: The flash image takes {size:,} bytes, the flash has 1,000 "
            f"behind the bitstream\n") in printed
    assert not (tmp_path / "program.fbi").exists()


@needs_litex
@pytest.mark.long
def test_synthesis_takes_what_the_table_says():
    target = Target("tiny", "ulx3s-85f", soc=True)
    synthesise(target)
    flow = flow_of(target)
    used, core = flow.count(), hard_cells(find_size("tiny"))

    assert 'FREQUENCY PORT "clk25" 27.3333 MHz' in flow.pins  # 82 MHz aimed at, 75 in use
    for name in ("sdram_dq[15]", "clk25", "serial_tx", "serial_rx", "spiflash_mosi"):
        assert f'LOCATE COMP "{name}" SITE' in flow.pins
    for kind in ("MULT18X18D", "block RAM"):
        assert core[kind] < used[kind] <= core[kind] + NEEDS[kind], kind
    assert used["LUT4"] > 10_000


def test_the_report_names_the_processor():
    class Fit:
        fmax, used, path = 61.25, {}, ()

    lines = list(report_lines(Target("tiny", "ulx3s-85f", soc=True), 60.0, 3, Fit()))

    assert lines[:2] == ["ulx3s-85f, with a processor, size tiny, seed 3",
                         "clock 60 MHz, the routed design reaches 61.2 MHz"]

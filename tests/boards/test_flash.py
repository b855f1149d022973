# SPDX-License-Identifier: Apache-2.0
"""Flash images of programs, and the flash of LiteX systems."""

import json
import subprocess
import sys

import pytest

from tests.support.litex import needs_litex
from xymac.boards.board import find_board
from xymac.boards.firmware.flash import FLASH_SIZE, PROGRAM_OFFSET, check_image, flash_image
from xymac.boards.litex.flow import export_board
from xymac.host.errors import InputError

ROOM = 12 << 20


@needs_litex
def test_the_image_is_that_of_litex(tmp_path):
    program = bytes(range(256)) * 7 + b"end"
    (tmp_path / "program.bin").write_bytes(program)

    subprocess.run([sys.executable, "-m", "litex.soc.software.crcfbigen", "--fbi", "--little",
                    "program.bin", "-o", "program.fbi"], cwd=tmp_path, check=True)

    assert flash_image(program) == (tmp_path / "program.fbi").read_bytes()


def test_a_program_may_fill_the_flash_behind_the_bitstream():
    image = flash_image(bytes(ROOM - 8))

    check_image(image, "full.fbi")
    with pytest.raises(InputError, match=r"^The flash image takes 12,582,913 bytes, the flash has "
                                         r"12,582,912 behind the bitstream$"):
        flash_image(bytes(ROOM - 7))
    with pytest.raises(InputError, match=r"^The flash image takes 12,582,913 bytes, "):
        check_image(image + b"x", "large.fbi")


@pytest.mark.parametrize(("data", "count"), [
    (b"", 0), (b"short", 0), (bytes(8), 0), (flash_image(b"some program")[:-1], 11),
    (flash_image(b"some program") + b"\0", 13), (flash_image(b"some program")[:-1] + b"M", 12)])
def test_other_files_are_refused(data, count):
    with pytest.raises(InputError, match=rf"^x.fbi is not a flash image: its header must be the "
                                         rf"byte count and the CRC-32 of the {count} bytes"):
        check_image(data, "x.fbi")


@needs_litex
def test_the_flash_of_a_board(tmp_path):
    system = export_board(find_board("ulx3s-85f"), "tiny", tmp_path)
    base, size = system.region("spiflash")
    constants  = json.loads((tmp_path / "csr.json").read_text())["constants"]

    assert size == FLASH_SIZE
    assert constants["flash_boot_address"] == base + PROGRAM_OFFSET
    assert constants["spiflash_phy_frequency"] <= 20e6
    for pin, ball in (("cs_n", "R2"), ("mosi", "W2"), ("miso", "V2"), ("wp", "Y2"), ("hold", "W1")):
        pins = (tmp_path / "gateware/top.lpf").read_text()
        assert f'LOCATE COMP "spiflash_{pin}" SITE "{ball}"' in pins
    for pin in ("wp", "hold"):  # active low
        assert f"assign spiflash_{pin} = 1'd1;" in system.verilog
    assert "USRMCLK" in system.verilog

# SPDX-License-Identifier: Apache-2.0
"""Boards: clocks that their PLLs make, rates that these make, pads, and what does not fit."""

import re
import subprocess
from collections import Counter
from dataclasses import replace

import pytest

from tests.support.sizes import between
from xymac.boards.board import all_boards, find_board
from xymac.boards.clock.ecp5 import find_dividers
from xymac.boards.clock.ice40 import find_ice40_dividers
from xymac.boards.design import check_fit, make_design, part_of
from xymac.boards.tools.family import ICE40
from xymac.boards.tools.flow import tool_path
from xymac.hdl.config import CORES, SIZES
from xymac.host.device.serial import BAUD

BOARDS = {name: find_board(name) for name in all_boards()}


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_what_a_board_says_of_itself(board):
    assert BOARDS[board.name] is board
    assert board.size in CORES
    assert board.clock < board.aim
    assert board.baud == BAUD
    assert 1e6 * board.clock / board.divisor == pytest.approx(board.baud, rel=0.01)
    part = part_of(board.platform())
    assert part.name == board.platform().device
    assert part.family is ICE40 or part.database.is_dir()
    check_fit(board, board.size)


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_the_pll_makes_the_clock(board):
    source = board.platform().default_clk_frequency / 1e6
    if part_of(board.platform()).family is ICE40:
        dividers = find_ice40_dividers(source, board.clock)
        assert source * (dividers.feedback + 1) / 2 ** dividers.output == pytest.approx(board.clock)
    else:
        dividers = find_dividers(source, board.clock)
        assert source * dividers.feedback / dividers.reference == pytest.approx(board.clock)
        assert 400 <= board.clock * dividers.output <= 800


@pytest.mark.parametrize(("source", "target"), [(25, 90), (25, 100), (48, 96), (12, 96), (12, 90)])
def test_dividers_are_those_of_ecppll(source, target):
    """The tool of Project Trellis chooses the same."""
    done = subprocess.run([tool_path("yowasp-ecppll"), "-i", str(source), "-o", str(target)],
                          capture_output=True, text=True, check=True)
    told = {name: int(number) for name, number in re.findall(r"(\w+) divisor: (\d+)", done.stdout)}
    dividers = find_dividers(source, target)
    assert (dividers.reference, dividers.feedback, dividers.output) == (
        told["Refclk"], told["Feedback"], told["clkout0"])


@pytest.mark.parametrize(("source", "target"), [(12, 24), (12, 21), (16, 30)])
def test_dividers_are_those_of_icepll(source, target):
    """The tool of Project IceStorm chooses the same."""
    done = subprocess.run([tool_path("yowasp-icepll"), "-i", str(source), "-o", str(target)],
                          capture_output=True, text=True, check=True)
    told = {name: int(number) for name, number in re.findall(r"(\w+): +(\d+) \(", done.stdout)}
    dividers = find_ice40_dividers(source, target)
    assert (told["DIVR"], dividers.feedback, dividers.output, dividers.filter) == (
        0, told["DIVF"], told["DIVQ"], told["FILTER_RANGE"])


@pytest.mark.parametrize(("source", "target", "message"), [
    (25, 97.3, "No PLL of an ECP5 makes 97.3 MHz of 25 MHz"),
    (12, 900, "No PLL of an ECP5 makes 900 MHz of 12 MHz")])
def test_a_clock_out_of_reach(source, target, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        find_dividers(source, target)


def test_a_clock_out_of_reach_of_an_ice40():
    with pytest.raises(ValueError, match=r"^No PLL of an iCE40 makes 20 MHz of 12 MHz$"):
        find_ice40_dividers(12, 20)


def test_a_rate_out_of_reach():
    board = replace(BOARDS["ulx3s-85f"], baud=12_000_000)
    with pytest.raises(ValueError, match=r"^No whole number of cycles at 90 MHz makes 12000000 "
                                         r"baud of ulx3s-85f within 1 %$"):
        board.divisor  # noqa: B018


@pytest.mark.parametrize("size", ["tiny", "small", "base"])
def test_a_size_that_does_not_fit_an_ice40(size):
    with pytest.raises(ValueError, match=(
            rf"^Size {size} does not fit the iCE40UP5K of icebreaker: it needs [\d,]+ logic cells "
            rf"of 5,280, \d+ SB_MAC16 of 8, [\d,]+ EBR of 30$")):
        check_fit(BOARDS["icebreaker"], size)


@pytest.mark.parametrize(("name", "size", "message"), [
    ("ulx3s-25f", "base", "84 MULT18X18D of 28, 206 block RAM of 56"),
    ("orangecrab-25f", "base", "84 MULT18X18D of 28, 206 block RAM of 56")])
def test_a_size_that_does_not_fit(name, size, message):
    with pytest.raises(ValueError, match=(
            rf"^Size {size} does not fit the LFE5U-25F of {name}: it needs [\d,]+ LUT4 of 24,288, "
            rf"{message}$")):
        check_fit(BOARDS[name], size)


def test_the_compact_core_is_for_an_ice40():
    with pytest.raises(ValueError, match=(
            r"^Size compact is for the iCE40UP5K alone, not for the LFE5U-85F of ulx3s-85f$")):
        check_fit(BOARDS["ulx3s-85f"], "compact")


def test_a_larger_board_takes_every_size():
    for size in SIZES:
        check_fit(BOARDS["ulx3s-85f"], size)


@pytest.mark.parametrize(("name", "pads", "clocks"), [
    ("ulx3s-25f", {"clk25_0__io": "G2", "uart_0__rx__io": "M1", "uart_0__tx__io": "L4",
                   "button_fire_0__io": "R1", "led_0__io": "B2", "led_1__io": "C2"},
     {"clk25_0__io": 25e6, "clk": 105e6}),
    between("orangecrab-25f",
            {"clk_0__io": "A9", "uart_0__rx__io": "N17", "uart_0__tx__io": "M18",
             "button_0__io": "J17", "rgb_led_0__g__io": "M3", "rgb_led_0__r__io": "K4"},
            {"clk_0__io": 48e6, "clk": 126e6})])
def test_pads_and_clocks(name, pads, clocks):
    """Of the files that are made, with what tiny needs of a device."""
    design = make_design(BOARDS[name], "tiny")
    places = dict(re.findall(r'LOCATE COMP "(\S+)" SITE "(\S+)";', design.pins))
    rates  = re.findall(r'FREQUENCY (?:NET|PORT) "(\S+)" (\S+) HZ;', design.pins)

    assert places == pads
    assert {net: float(rate) for net, rate in rates} == clocks
    cells = re.findall(r"^  cell \\(MULT18X18D|EHXPLLL|DCCA|global_reset) ", design.source,
                       re.MULTILINE)
    assert Counter(cells) == {"MULT18X18D": 9, "EHXPLLL": 1, "DCCA": 1,
                              "global_reset": 1}

# SPDX-License-Identifier: Apache-2.0
"""A whole board after synthesis, as its bitstream has it, behind a pseudo-terminal.

The commands reach the netlist over its UART. Takes a minute: ``pytest -m gates``.
"""

from pathlib import Path

import pytest

from xymac.boards.board import find_board
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.sim.board.process import BoardProcess

pytestmark = pytest.mark.gates

DATA = Path(__file__).parents[2] / "host/examples/data"


def options(board):
    return ["--backend", "serial", "--port", board.port, "--baud", str(board.baud)]


def test_the_digits_on_an_icebreaker(capsys):
    with BoardProcess(find_board("icebreaker"), "compact", netlist=True) as board:
        code = main(["run", f"{DATA}/digits_cnn.npz", "--images", f"{DATA}/digits_images.npz",
                     "--limit", "1", *options(board)])
        report = board.report()

    out = capsys.readouterr().out
    assert code == 0
    assert "backend serial, size compact\n" in out
    assert "Board = golden, bit for bit: 5 of 5 layers of 1 image" in out
    assert (report["run"], report["fault"]) == (1, 0)


def test_an_ecp5_is_refused():
    with pytest.raises(InputError, match=r"^A netlist can be simulated of a board with an iCE40, "
                                         r"not of ulx3s-25f: the ECP5's global reset has no model"):
        BoardProcess(find_board("ulx3s-25f"), "tiny", netlist=True)

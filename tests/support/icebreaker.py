# SPDX-License-Identifier: Apache-2.0
"""A network on a simulated iCEBreaker."""

from pathlib import Path

from xymac.boards.board import find_board
from xymac.host.cli.main import main
from xymac.sim.board.process import BoardProcess

__all__ = ["assert_an_icebreaker_runs"]

_DATA = Path(__file__).parents[2] / "host/examples/data"


def assert_an_icebreaker_runs(capsys, **options):
    """Run the digits over the UART of a board with ``options`` of BoardProcess."""
    with BoardProcess(find_board("icebreaker"), "compact", **options) as board:
        code = main(["run", f"{_DATA}/digits_cnn.npz", "--images", f"{_DATA}/digits_images.npz",
                     "--limit", "1", "--port", board.port, "--baud", str(board.baud)])
        report = board.report()

    out = capsys.readouterr().out
    assert code == 0
    assert "backend serial, size compact\n" in out
    assert "Board = golden, bit for bit: 5 of 5 layers of 1 image" in out
    assert (report["run"], report["fault"]) == (1, 0)

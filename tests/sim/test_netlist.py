# SPDX-License-Identifier: Apache-2.0
"""A whole board after synthesis, as its bitstream has it, behind a pseudo-terminal.

The commands reach the netlist over its UART. Takes a minute: ``pytest -m gates``.
"""

import pytest

from tests.support.icebreaker import assert_an_icebreaker_runs
from xymac.boards.board import find_board
from xymac.host.errors import InputError
from xymac.sim.board.process import BoardProcess

pytestmark = pytest.mark.gates


def test_the_digits_on_an_icebreaker(capsys):
    assert_an_icebreaker_runs(capsys, netlist=True)


def test_an_ecp5_is_refused():
    with pytest.raises(InputError, match=r"^A netlist can be simulated of a board with an iCE40, "
                                         r"not of ulx3s-25f: the ECP5's global reset has no model"):
        BoardProcess(find_board("ulx3s-25f"), "tiny", netlist=True)

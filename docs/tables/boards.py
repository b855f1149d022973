# SPDX-License-Identifier: Apache-2.0
"""Board tables: pins, rates, and routed designs."""

from xymac.boards.board import all_boards, find_board
from xymac.hdl.config import find_size

from .command import printed_table
from .table import markdown

__all__ = ["ORDER", "designs", "fitted"]

ORDER = ("ulx3s-25f", "ulx3s-85f", "orangecrab-25f", "orangecrab-85f", "ecp5-evn", "icebreaker")
SEEDS = 5


def _path(parts):
    return " ".join(map(str, parts))


def designs():
    """Size, clock and pads for every board in this project."""
    rows = []
    for name in ORDER:
        board = find_board(name)
        size  = find_size(board.size)
        rows.append((f"`{name}`", board.size, f"{size.lanes} x {size.ways}", f"{board.clock:g}",
                     f"{board.baud:,}", _path(board.uart), _path(board.reset), _path(board.run),
                     _path(board.fault)))
    return markdown(("board", "size", "lanes x ways", "clock MHz", "baud", "UART", "reset",
                     "lamp of a run", "lamp of a fault"), rows)


def fitted():
    """Whole designs after routing, five seeds each: takes hours."""
    if set(ORDER) != set(all_boards()):
        raise ValueError(f"Boards must be {', '.join(ORDER)}, not {', '.join(all_boards())}")
    boards = [word for name in ORDER for word in ("--board", name)]
    return printed_table("fit", "--seeds", SEEDS, *boards)

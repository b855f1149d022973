# SPDX-License-Identifier: Apache-2.0
"""Board tables: pins, rates, routed designs, and cores alone."""

import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from xymac.boards.board import all_boards, find_board
from xymac.hdl.config import find_size

from .command import printed, printed_table
from .table import markdown

__all__ = ["ALONE", "ORDER", "UNROUTED", "alone", "designs", "fitted", "unrouted"]

ORDER = ("ulx3s-25f", "ulx3s-85f", "orangecrab-25f", "orangecrab-85f", "ecp5-evn", "icebreaker")
SEEDS = 5
#: Sizes of cores alone with their devices: routed, and after synthesis alone.
ALONE    = (("base", "ecp5-85k"), ("small", "ecp5-25k"), ("tiny", "ecp5-25k"))
UNROUTED = (("tiny", "xilinx7"), ("small", "xilinx7"), ("tiny", "gowin"), ("small", "gowin"))


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


def _fit(*arguments):
    """The JSON content that ``xymac fit`` writes for some arguments."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fit.json"
        printed("fit", *arguments, "--json", path)
        return json.loads(path.read_text(encoding="utf-8"))


def alone():
    """Cores alone after routing, five seeds each: takes an hour."""
    rows = []
    for size, device in ALONE:
        [design] = _fit("--size", size, "--device", device, "--seeds", SEEDS)
        worst    = min(design["seeds"], key=lambda seed: seed["fmax"])
        speeds   = [seed["fmax"] for seed in design["seeds"]]
        rows.append((size, f"`{device}`", *(f"{used:,} of {worst['available'][name]:,}"
                                            for name, used in worst["used"].items()),
                     f"{min(speeds):.1f}", f"{median(speeds):.1f}", f"{len(speeds)}"))
    return markdown(("size", "device", "LUT4", "FF", "MULT18X18D", "block RAM", "MHz, worst",
                     "median", "seeds"), rows)


def unrouted():
    """Cores alone after synthesis for other vendors: takes twenty minutes."""
    return markdown(("size", "device", "cells"), [
        (size, f"`{device}`", ", ".join(f"{count:,} {name}" for name, count in _fit(
            "--size", size, "--device", device)["used"].items() if count))
        for size, device in UNROUTED])

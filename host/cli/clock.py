# SPDX-License-Identifier: Apache-2.0
"""``--clock``: cycles as times, at a given clock or at a board's clock."""

from argparse import ArgumentTypeError
from math import isfinite

from rich.table import Table

from xymac.host.errors import InputError
from xymac.host.network.pace import DMA_BITS, CoreClock
from xymac.host.network.traffic import BAUD

from .command import load_board

__all__ = ["add_clock", "format_rate", "pace_table", "take_clock"]

_NAMES = {"bus": "bus, AXI4-Lite", "uart": "UART, {:g} Mbaud",
          "dma": f"DMA of {DMA_BITS} bits, predicted"}


def add_clock(parser):
    """Add ``--clock``."""
    parser.add_argument("--clock", metavar="MHZ", type=_clock,
                        help="also print times at this clock, in MHz, or at clock and link of a "
                             "board, as in --clock ulx3s-85f: milliseconds on the core and of "
                             "transfers, and inputs a second")


def take_clock(options):
    """Set ``options.clock`` to the ``--board`` clock unless it was given."""
    if options.clock is None and options.board is not None:
        options.clock = _board_clock(options.board)


def _board_clock(name):
    board = load_board(name)
    return CoreClock(float(board.clock), board.baud, name)


def _clock(text):
    try:
        mhz = float(text)
    except ValueError:
        try:
            return _board_clock(text)
        except InputError as error:
            raise ArgumentTypeError(f"must be MHz or a board: {error}") from error
    if not (isfinite(mhz) and mhz > 0):
        raise ArgumentTypeError(f"must be above 0 MHz, not {text}")
    return CoreClock(mhz, BAUD)


def pace_table(paces, clock):
    """An input's times (Paces) over each link, as a table."""
    table = Table(box=None, title=f"An input at {clock}", title_justify="left")
    table.add_column("link")
    for name in ("core ms", "transfer ms", "hidden ms", "inputs a second"):
        table.add_column(name, justify="right")
    table.add_column("limit")
    for pace in paces:
        table.add_row(_NAMES[pace.link].format(clock.baud / 1e6), f"{1e3 * pace.core:,.3f}",
                      f"{1e3 * pace.transfer:,.3f}", f"{1e3 * pace.hidden:,.3f}",
                      format_rate(pace.rate), pace.limit)
    return table


def format_rate(rate):
    """Inputs a second with three digits and more."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"

"""One subcommand of the command line, and the options that several share."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from hdl.config import SIZES
from host.device.serial import BAUD, find_config

__all__ = ["BACKENDS", "Command", "add_backend", "add_json", "add_markdown", "add_plot", "add_size",
           "device_options", "positive"]

BACKENDS = ("golden", "machine", "rtl", "serial")


@dataclass(frozen=True)
class Command:
    """A subcommand; found through the entry points ``xymac.commands``.

    Parameters
    ----------
    summary : str, one line
    example : str, a command line that works in a fresh checkout
    add_arguments : function of the subcommand's argparse parser
    execute : function of (arguments, console) that returns the exit code: 0, or 1 for a mismatch,
        failure or skip; it raises ValueError with one sentence for input that cannot be used
    """

    summary:       str
    example:       str
    add_arguments: Callable
    execute:       Callable


def positive(text):
    """Type of an option that is an int of at least 1."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be an int, not {text!r}") from None
    if value < 1:
        raise ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def add_size(parser):
    """Add ``--size``."""
    parser.add_argument("--size", choices=tuple(SIZES), default="base",
                        help="size of the core (default: base)")


def add_backend(parser, default):
    """Add ``--backend`` and ``--size``, and ``--board``, ``--port`` and ``--baud`` for a board.

    ``device_options`` settles what they mean together.
    """
    parser.set_defaults(default_backend=default)
    parser.add_argument("--backend", choices=BACKENDS,
                        help=f"what computes: the golden kernels, passes in numpy, the core in "
                             f"simulation, or the core on a board (default: serial with --board or "
                             f"--port, else {default})")
    parser.add_argument("--size", choices=tuple(SIZES),
                        help="size of the core (default: that of the board, else base)")
    parser.add_argument("--board", metavar="NAME",
                        help=f"board at --port, for its size and rate: {', '.join(_boards())}")
    parser.add_argument("--port", metavar="DEV", help="serial port of a board (see xymac ports)")
    parser.add_argument("--baud", metavar="N", type=positive,
                        help=f"bits a second of that port (default: {BAUD})")


def _boards():
    return {entry.name: entry for entry in sorted(entry_points(group="xymac.boards"))}


def device_options(options):
    """Options of the device that ``--backend`` names, a dict; ValueError if they do not fit.

    What was left out of ``options.backend`` and ``options.size`` is filled in.
    """
    board = None
    if options.board is not None:
        boards = _boards()
        if options.board not in boards:
            raise ValueError(f"Board must be one of {', '.join(boards)}, not {options.board!r}")
        board = boards[options.board].load()
    options.backend = options.backend or (
        options.default_backend if options.port is None and board is None else "serial")
    given = {name: value for name in ("board", "port", "baud")
             if (value := getattr(options, name)) is not None}
    if options.backend != "serial":
        options.size = options.size or "base"
        if given:
            raise ValueError(f"--{next(iter(given))} needs the backend serial, not "
                             f"{options.backend}")
        return {}
    if options.port is None:
        raise ValueError("A board needs --port: `xymac ports` lists those there are")
    baud = options.baud or (board.baud if board else BAUD)
    options.size = options.size or (board.size if board else find_config(options.port, baud).name)
    return {"port": options.port, "baud": baud}


def add_markdown(parser, what):
    """Add ``--markdown``, which prints ``what`` in another form."""
    parser.add_argument("--markdown", action="store_true",
                        help=f"print {what} as a Markdown table")


def add_plot(parser, what):
    """Add ``--plot``, which draws ``what``."""
    parser.add_argument("--plot", metavar="F",
                        help=f"also draw {what} in this file, .png or .svg")


def add_json(parser):
    """Add ``--json``."""
    parser.add_argument("--json", metavar="F", help="also write the result to this file")

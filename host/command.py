"""One subcommand of the command line, and the options that several share."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass

from hdl.config import SIZES

from .serial_device import BAUD

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
    """Add ``--backend``, and ``--port`` and ``--baud`` of the backend serial."""
    parser.add_argument("--backend", choices=BACKENDS, default=default,
                        help=f"what computes: the golden kernels, passes in numpy, the core in "
                             f"simulation, or the core on a board (default: {default})")
    parser.add_argument("--port", metavar="DEV",
                        help="serial port of the board (backend serial; see xymac ports)")
    parser.add_argument("--baud", metavar="N", type=positive,
                        help=f"bits a second of that port, those of the board (default: {BAUD})")


def device_options(options):
    """Options of the device that ``--backend`` names, a dict; ValueError if they do not fit it."""
    given = {name: value for name in ("port", "baud")
             if (value := getattr(options, name)) is not None}
    if options.backend != "serial" and given:
        raise ValueError(f"--{next(iter(given))} needs the backend serial, not {options.backend}")
    if options.backend == "serial" and "port" not in given:
        raise ValueError("The backend serial needs --port: `xymac ports` lists those there are")
    return given


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

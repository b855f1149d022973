# SPDX-License-Identifier: Apache-2.0
"""The subcommand class, and options that several subcommands share."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xymac.hdl.config import CORES, SIZES, find_size
from xymac.host.cluster import count_cores
from xymac.host.errors import InputError, suggest
from xymac.host.extensions import list_extensions, load_extension
from xymac.host.files.reading import LIMIT, set_limit

from .summary import summarise

__all__ = ["GOLDEN", "Command", "add_backend", "add_json", "add_markdown", "add_plot", "add_size",
           "device_options", "load_board", "natural", "percent", "positive", "processes",
           "size_name"]

GOLDEN   = "golden"         #: The backend without a device.
_MIB     = 20               #: log2 of the bytes in a mebibyte.
_MOST    = 64               #: Process count allowed on any computer.
_DEVICES = "xymac.devices"  #: Entry points of the other backends.
_BOARDS  = "xymac.boards"   #: Entry points of boards.
_WRITTEN = ("json", "plot", "outputs", "waves")  #: Options that name a file to write.
#: Options that name a file to read.
_READ    = ("network", "images", "data", "labels", "classes", "float", "golden")


@dataclass(frozen=True)
class Command:
    """A subcommand; an entry point of ``xymac.commands`` names it, see ``xymac.host.extensions``.

    Parameters
    ----------
    about : str, a line; or the module docstring, which begins ```` ``xymac NAME``: ````
    example : str, a command line usable in a fresh checkout
    add_arguments : function that adds options to the subcommand's argparse parser
    execute : function (arguments, console) returning the exit code: 0, or 1 for a mismatch, failure
        or skip; it raises InputError with a sentence for unusable input
    """

    about:         str
    example:       str
    add_arguments: Callable
    execute:       Callable

    @property
    def summary(self):
        """Single-line description for a command list."""
        return summarise(self.about)

    def fill(self, parser):
        """Add the command's options and the common options."""
        self.add_arguments(parser)
        parser.add_argument("--read-limit", metavar="MIB", type=positive, default=LIMIT >> _MIB,
                            help="largest file to read, and largest content of an .npz file once "
                                 "it is unpacked (default: %(default)s)")

    def run(self, options, console):
        """Execute the command; returns the exit code.

        InputError if a file to write is another one, or is read.
        """
        _check_apart(options)
        with set_limit(options.read_limit << _MIB):
            return self.execute(options, console)


def _check_apart(options):
    """Raise InputError if a file to write is also another option's file."""
    seen = {}
    for name in (*_READ, *_WRITTEN):
        text = getattr(options, name, None)
        if not isinstance(text, str):
            continue
        path = Path(text)
        if path.exists() and not path.is_file():  # a folder, or a device such as /dev/stdout
            continue
        other = seen.setdefault(path.resolve(), name)
        if name in _WRITTEN and other != name:
            argument = "NET" if other == "network" else f"--{other}"
            raise InputError(f"--{name} would overwrite {text}, the file of {argument}")


def positive(text):
    """argparse type: an int from 1 on."""
    return _int_from(1, text)


def processes(text):
    """argparse type: a process count from 1 on, which the computer's memory can take."""
    count = _int_from(1, text)
    most  = max(_MOST, 2 * count_cores())
    if count > most:
        raise ArgumentTypeError(f"must be at most {most} processes on this computer, not {count}")
    return count


def natural(text):
    """argparse type: an int from 0 on."""
    return _int_from(0, text)


def _int_from(least, text):
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be an int, not {text!r}") from None
    if value < least:
        raise ArgumentTypeError(f"must be at least {least}, not {value}")
    return value


def percent(text):
    """argparse type: an int from 0 to 99."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be an int, not {text!r}") from None
    if not 0 <= value < 100:
        raise ArgumentTypeError(f"must be between 0 and 99 percent, not {value}")
    return value


def size_name(text):
    """argparse type: a core size as in ``find_size``; returns its canonical name."""
    try:
        return find_size(text).name
    except ValueError as error:
        hint = "" if set(",=") & set(text) else suggest(text, CORES)
        raise ArgumentTypeError(f"{error}{hint}") from error


def _array_name(text):
    """argparse type: a core size, without the compact core."""
    name = size_name(text)
    if name not in SIZES and name in CORES:
        raise ArgumentTypeError(f"must be {', '.join(SIZES)} or fields, not {name}, which is "
                                f"another kind of core")
    return name


def add_size(parser, default="that of the board, else base", *, fill=None, every=True):
    """Add ``--size``, whose missing value is ``fill``; ``every`` allows the compact core too.

    ``default`` describes the default in the help.
    """
    names = CORES if every else SIZES
    parser.add_argument("--size", metavar="S", type=size_name if every else _array_name,
                        default=fill,
                        help=f"size of the core: {', '.join(names)}, or fields, as in "
                             f"ways=2,x_rows=1024 or tiny,y_rows=1024 (default: {default})")


def add_backend(parser, default):
    """Add ``--backend`` and the options that depend on it; ``device_options`` resolves them.

    ``--size``, ``--board``, ``--port`` and ``--baud`` are for a board, ``--via`` and ``--pauses``
    for a simulation. ``default`` is the backend without ``--board`` and ``--port``.
    """
    from xymac.host.device.serial import BAUD  # imported here because it loads slowly

    backends = (GOLDEN, *list_extensions(_DEVICES))
    parser.set_defaults(default_backend=default)
    parser.add_argument("--backend", choices=backends,
                        help=f"execution: the golden kernels, passes in numpy, the core in "
                             f"simulation, the core on a board, or a device of another package "
                             f"(default: serial with --board or --port, else {default})")
    add_size(parser)
    parser.add_argument("--board", metavar="NAME",
                        help=f"board at --port, for its size and rate: "
                             f"{', '.join(list_extensions(_BOARDS))}")
    parser.add_argument("--port", metavar="DEV", help="serial port of a board (see xymac ports)")
    parser.add_argument("--baud", metavar="N", type=positive,
                        help=f"bits per second of that port (default: {BAUD})")
    parser.add_argument("--via", choices=("direct", "bus"),
                        help="how the backend rtl loads and reads the core: its memories directly, "
                             "or every word by the AXI4-Lite port, cycle by cycle, as in `xymac "
                             "check tests/vectors/xs3 --limit 20 --backend rtl --via bus` "
                             "(default: direct)")
    parser.add_argument("--pauses", metavar="N", type=percent,
                        help="percent of the cycles in which a channel of that port pauses, 0 to "
                             "99 (default: 0)")


def device_options(options):
    """Device options for ``--backend``, a dict; InputError for conflicting options.

    Fills in missing ``options.backend`` and ``options.size``.
    """
    from xymac.host.device.serial import BAUD, find_config

    board = None if options.board is None else load_board(options.board)
    options.backend = options.backend or (
        options.default_backend if options.port is None and board is None else "serial")
    given = {name: value for name in ("board", "port", "baud")
             if (value := getattr(options, name)) is not None}
    simulated = _simulation_options(options)
    if options.backend != "serial":
        options.size = options.size or "base"
        if given:
            raise InputError(f"--{next(iter(given))} needs the backend serial, not "
                             f"{options.backend}")
        return simulated
    if options.port is None:
        raise InputError("A board needs --port: `xymac ports` lists the serial ports")
    baud = options.baud or (board.baud if board else BAUD)
    options.size = options.size or (board.size if board else find_config(options.port, baud).name)
    return {"port": options.port, "baud": baud}


def _simulation_options(options):
    """Options from ``--via`` and ``--pauses``, a dict; InputError if they do not fit the backend.
    """
    if options.via is not None and options.backend != "rtl":
        raise InputError(f"--via needs the backend rtl, not {options.backend}")
    if options.pauses is not None and options.via != "bus":
        raise InputError("--pauses needs --via bus")
    given = {"via": options.via, "pauses": options.pauses}
    return {name: value for name, value in given.items() if value is not None}


def load_board(name):
    """The board ``name``; the command line uses its name, size, clock and baud rate.

    InputError for a broken board; for an unknown board, with a list of all boards.
    """
    boards = list_extensions(_BOARDS)
    if name not in boards:
        raise InputError(f"Board must be one of {', '.join(boards)}, not {name!r}"
                         f"{suggest(name, boards)}")
    return load_extension(boards[name], _check_board)


def _check_board(value):
    if not isinstance(value.size, str) or not isinstance(value.baud, int) or not value.clock:
        raise TypeError(f"it must be a Board, not {value!r}")
    find_size(value.size)


def add_markdown(parser, content):
    """Add ``--markdown``, which prints ``content`` (str, for the help) as a Markdown table."""
    parser.add_argument("--markdown", action="store_true",
                        help=f"print {content} as a Markdown table")


def add_plot(parser, content):
    """Add ``--plot``, which draws ``content`` (str, for the help)."""
    parser.add_argument("--plot", metavar="F",
                        help=f"also draw {content} in this file, .png or .svg")


def add_json(parser):
    """Add ``--json``."""
    parser.add_argument("--json", metavar="F", help="also write the result to this file")

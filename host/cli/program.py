# SPDX-License-Identifier: Apache-2.0
"""A run of the command line: arguments, command, and exit code."""

import os
import signal
import threading
from argparse import ArgumentError, ArgumentParser, RawDescriptionHelpFormatter

from xymac.host.errors import InputError, suggest
from xymac.host.files.text import plain

from .commands import list_commands, load_command, read_summaries
from .log import messages_shown
from .outcome import BAD_INPUT, has_interrupt, refuse, report_bug, report_os_error
from .output import Output, flushed_output

__all__ = ["run"]

NARROWEST = 160  #: Table width in columns when the output is not a terminal.


class _Parser(ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        """Like argparse's; the sentence about an unknown option names the closest option."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            self.error(f"unrecognized arguments: {' '.join(unknown)}"
                       f"{suggest(word, self._option_string_actions) if word[:1] == '-' else ''}")
        return options

    def _check_value(self, action, value):
        try:
            super()._check_value(action, value)
        except ArgumentError as error:
            error.message += suggest(value, [each for each in action.choices
                                             if isinstance(each, str)])
            raise

    def error(self, message):
        """Exit with a sentence and without the usage text."""
        self.exit(BAD_INPUT, f"{self.prog}: {plain(message)} (see {self.prog} --help)\n")


def run(arguments):
    """Run a command line, a str list; returns the exit code."""
    _interrupt_on_request()
    before, name, rest = _split(arguments)
    with messages_shown():
        parser  = _top_parser()
        options = parser.parse_args(before)
        prog    = f"xymac {name}" if name else "xymac"
        try:
            with flushed_output():
                return _execute(parser, options, name, rest)
        except InputError as error:
            if options.traceback:
                raise
            return refuse(prog, error)
        except OSError as error:
            if options.traceback:
                raise
            return report_os_error(prog, error, arguments)
        except MemoryError as error:
            if options.traceback:
                raise
            return refuse(prog, "The command needs more memory than the system gives"
                          + f": {error}" * bool(str(error)))
        except Exception as error:  # Any other exception is reported as a bug.
            if has_interrupt(error):
                raise KeyboardInterrupt from error
            return report_bug(prog, arguments)


def _interrupt_on_request():
    """Make a request to end, as from ``kill`` or a scheduler, an interrupt: processes that the
    command has started end with it.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(*_):
    """Interrupt the process; a job in a shell's background ignores interrupts."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.raise_signal(signal.SIGINT)
    else:
        raise KeyboardInterrupt


def _split(arguments):
    """Options before the command, the command or None, and the arguments after it."""
    for index, word in enumerate(arguments):
        if not word.startswith("-"):
            return arguments[:index], word, arguments[index + 1:]
    return arguments, None, []


def _top_parser():
    parser = _Parser(prog="xymac", add_help=False,
                     description="Fixed-point neural network kernels, bit-exact, on an XY-memory "
                                 "multiply-accumulate core.")
    parser.add_argument("-h", "--help", action="store_true",
                        help="show this help message and exit")
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    parser.add_argument("--traceback", action="store_true",
                        help="show where an error was met")
    return parser


def _execute(parser, options, name, rest):
    entries = list_commands()
    if options.version:
        print_version()
        return 0
    if options.help or name is None:
        _print_help(parser, entries)
        return 0
    if name not in entries:
        parser.error(f"argument COMMAND: invalid choice: {name!r} "
                     f"(choose from {', '.join(entries)}){suggest(name, entries)}")
    if "" in rest:
        raise InputError("An argument is empty: a variable of the shell may be unset")
    command   = load_command(entries[name])
    subparser = _Parser(prog=f"xymac {name}", description=command.summary,
                        epilog=f"example:\n  {command.example}",
                        formatter_class=RawDescriptionHelpFormatter)
    command.fill(subparser)
    return command.run(subparser.parse_args(rest), make_console())


def print_version():
    """Print name and version."""
    from importlib.metadata import version

    Output().write(f"xymac {version('xymac')}\n")


def _print_help(parser, entries):
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in read_summaries(entries).items():
        subparsers.add_parser(name, help=summary)
    Output().write(parser.format_help())


def make_console():
    """The output's Console, wide enough for tables."""
    from rich.console import Console  # slow import that the help avoids

    class PlainConsole(Console):
        """A Console removing control characters from names in files."""

        def render_str(self, text, **options):
            """A str as a Text."""
            return super().render_str(plain(text, keep="\n"), **options)

    console = PlainConsole(file=Output(), highlight=False, emoji=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        console.width = NARROWEST
    return console

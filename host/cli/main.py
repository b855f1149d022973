"""The command line ``xymac``: finds the subcommands, runs one, turns errors into one sentence."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib.metadata import entry_points

from rich.console import Console

__all__ = ["main"]

GROUP        = "xymac.commands"
ORDER        = ("run", "check", "bench", "verilog", "fit", "build", "ports", "simulate")
NARROWEST    = 160  #: Columns of a table when the output is not a terminal.
BAD_INPUT    = 2
INTERRUPTED  = 130


class _Parser(ArgumentParser):
    def error(self, message):
        """Exit with one sentence and without the usage text."""
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parser(commands):
    parser = _Parser(prog="xymac", description="Fixed-point neural network kernels, bit-exact, on "
                                               "an XY-memory multiply-accumulate core.")
    parser.add_argument("--traceback", action="store_true", help="show where an error was found")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in commands.items():
        subparser = subparsers.add_parser(
            name, help=command.summary, description=command.summary,
            epilog=f"example:\n  {command.example}", formatter_class=RawDescriptionHelpFormatter)
        command.add_arguments(subparser)
    return parser


def _commands():
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {name: found[name].load() for name in sorted(found, key=ORDER.index)}


def _console():
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=NARROWEST)


def main(arguments=None):
    """Run the command line; returns the exit code."""
    commands = _commands()
    options = _parser(commands).parse_args(arguments)
    try:
        return commands[options.command].execute(options, _console())
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        if options.traceback:
            raise
        sentence = " ".join(str(error).split())
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"xymac {options.command}: {sentence}", markup=False)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())

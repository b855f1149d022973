# SPDX-License-Identifier: Apache-2.0
"""Source mutants, and the tests that notice them: ``python -m xymac.sim.mutants``."""

import argparse
from importlib import import_module

from rich.console import Console

from xymac.host.errors import InputError

__all__ = ["PARTS", "main"]

#: Modules of the subcommands: each has ``ABOUT`` and ``EXAMPLE`` (str), ``add_arguments(parser)``,
#: and ``execute(options, console)``, which returns the exit code.
PARTS = {"hardware": "xymac.sim.mutants.hardware.command",
         "software": "xymac.sim.mutants.software.command"}


def main(arguments, parts=PARTS):
    """Run a command line's subcommand; returns the exit code, 2 for unusable input."""
    parser = argparse.ArgumentParser("python -m xymac.sim.mutants", description=__doc__)
    choice = parser.add_subparsers(dest="sources", required=True, metavar="PART")
    modules = {name: import_module(module) for name, module in parts.items()}
    for name, module in modules.items():
        module.add_arguments(choice.add_parser(
            name, help=module.ABOUT, description=module.ABOUT, epilog=module.EXAMPLE,
            formatter_class=argparse.RawDescriptionHelpFormatter))
    options = parser.parse_args(arguments)
    console = Console(highlight=False, soft_wrap=True, emoji=False)
    try:
        return modules[options.sources].execute(options, console)
    except InputError as error:
        console.print(f"mutants: {error}", markup=False)
        return 2
    except KeyboardInterrupt:
        console.print("mutants: interrupted; the same command goes on from here", markup=False)
        return 130

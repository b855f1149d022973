# SPDX-License-Identifier: Apache-2.0
"""The command line starts at once: it loads what a command needs and nothing more."""

import os
import resource
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from importlib.metadata import version

import pytest

from xymac.host.cli.command import Command
from xymac.host.cli.commands import list_commands, load_command, read_summaries
from xymac.host.cli.main import main

HEAVY = ("numpy", "amaranth", "rich", "serial", "matplotlib", "xymac.golden", "xymac.sim.rtl",
         "xymac.boards.board")
LIMIT = 0.5  #: Seconds of processor time, whatever else runs; a good third of it is usual.


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=os.environ)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_what_is_loaded(arguments):
    done = run_python(f"import sys\nfrom xymac.host.cli.main import main\n"
                      f"assert main({arguments}) == 0\nprint('loaded', *sys.modules)")

    loaded = done.stdout.splitlines()[-1].split()
    assert "xymac.host.cli.program" in loaded
    assert not {*HEAVY} & {*loaded}


def test_nothing_is_loaded_where_an_interrupt_is_not_heard():
    done = run_python("import sys\nbefore = {*sys.modules}\nimport xymac.host.cli.main\n"
                      "print(*sorted({*sys.modules} - before))")

    loaded = done.stdout.split()
    assert [name for name in loaded if name != "importlib"] == [
        "xymac", "xymac.host", "xymac.host.cli", "xymac.host.cli.main"]


def test_the_help_takes_no_time(record_property):
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run_python("from xymac.host.cli.main import main\nmain(['--help'])")
        after  = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    record_property("seconds", min(seconds))
    assert min(seconds) < LIMIT


def test_help_has_the_summaries_of_the_commands(capsys):
    entries = list_commands()

    assert read_summaries(entries) == {name: load_command(entry).summary
                                       for name, entry in entries.items()}
    assert main(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for name, entry in entries.items():
        assert f" {name} {load_command(entry).summary}" in out


def test_commands_are_in_the_order_of_their_use():
    assert [*list_commands()] == ["run", "evaluate", "check", "vectors", "compile", "bench",
                                  "verilog", "fit", "explore", "build", "load", "ports",
                                  "simulate", "regress"]


def test_examples_are_understood():
    for name, entry in list_commands().items():
        command = load_command(entry)
        program, called, *arguments = shlex.split(command.example)
        parser  = ArgumentParser(exit_on_error=False)
        command.add_arguments(parser)

        assert (program, called) == ("xymac", name)
        parser.parse_args(arguments)


@pytest.mark.parametrize("about", ["greet", "greet.", "``xymac greet-all``: greet.\n\nMore."])
def test_summary(about):
    assert Command(about, "", None, None).summary == "greet"


def test_version(capsys):
    assert main(["--version"]) == 0

    assert capsys.readouterr().out == f"xymac {version('xymac')}\n"


def test_host_has_its_names_when_they_are_asked_for():
    run_python("import sys\nfrom xymac import host\nassert 'numpy' not in sys.modules\n"
               "assert {*host.__all__} <= {*dir(host)}\n"
               "assert all(getattr(host, name).__name__ == name for name in host.__all__)\n"
               "from xymac.host import Device, classify\n"
               "assert not hasattr(host, 'absent')")

# SPDX-License-Identifier: Apache-2.0
"""Commands, backends and boards of another package: they work, and broken ones harm nobody."""

import logging
import re
import sys
from pathlib import Path

import pytest

from tests.support.foreign import write_distribution
from xymac.host.cli.main import main
from xymac.host.device.device import load_device
from xymac.host.errors import InputError
from xymac.host.extensions import list_extensions, load_extensions

DIGITS = str(Path(__file__).parents[2] / "host/examples/data/digits_cnn.npz")

SOURCE = '''
from dataclasses import replace

from xymac.boards.ulx3s import ULX3S_25F
from xymac.host.cli.command import Command
from xymac.host.device.device import MachineDevice


class TheirDevice(MachineDevice):
    """The machine under another name."""


def execute(options, console):
    console.print(f"hello {options.name}")
    return 0


GREET = Command("greet somebody", "xymac greet --name you",
                lambda parser: parser.add_argument("--name", default="world"), execute)
BOARD = replace(ULX3S_25F, name="their-board")
NUMBER = 3
'''
ENTRIES = {
    "xymac.commands": {"greet": "their_package:GREET", "absent": "no_such_module:COMMAND",
                       "number": "their_package:NUMBER", "run": "their_package:GREET"},
    "xymac.devices":  {"theirs": "their_package:TheirDevice", "number": "their_package:NUMBER",
                       "absent": "their_package:Absent"},
    "xymac.boards":   {"their-board": "their_package:BOARD", "number": "their_package:NUMBER"}}


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """A package that adds one working thing of each kind, and broken ones."""
    write_distribution(tmp_path, "their_package", SOURCE, ENTRIES)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("their_package", None)


def test_their_command_runs(theirs, capsys):
    assert main(["greet", "--name", "you"]) == 0

    assert capsys.readouterr().out == "hello you\n"


def test_their_command_has_help(theirs, capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["greet", "--help"])

    assert "example:\n  xymac greet --name you\n" in capsys.readouterr().out


def test_help_lists_theirs_and_names_what_is_broken(theirs, capsys):
    assert main(["--help"]) == 0

    out, error = capsys.readouterr()
    assert "    greet      greet somebody\n" in out
    assert "    run        run a network on images" in out
    assert "absent" not in out
    start = "xymac: warning: Command {} of package their_package is"
    assert error.splitlines() == [
        f"{start.format('run')} passed over: xymac has one of this name",
        f"{start.format('absent')} broken: ModuleNotFoundError: No module named 'no_such_module'",
        f"{start.format('number')} broken: TypeError: it must be a Command, not 3"]


@pytest.mark.parametrize(("name", "message"), [
    ("absent", "ModuleNotFoundError: No module named 'no_such_module'"),
    ("number", "TypeError: it must be a Command, not 3")])
def test_a_broken_command_is_a_sentence(name, message, theirs, capsys):
    assert main([name]) == 2

    assert capsys.readouterr().err.splitlines()[-1] == (
        f"xymac {name}: Command {name} of package their_package is broken: {message}")


def test_ours_run_beside_broken_ones(theirs, capsys):
    assert main(["run", DIGITS, "--backend", "machine", "--size", "tiny"]) == 0

    assert "Machine = golden, bit for bit" in capsys.readouterr().out


def test_their_backend_runs(theirs, capsys):
    assert main(["run", DIGITS, "--backend", "theirs", "--size", "tiny"]) == 0

    out = capsys.readouterr().out
    assert "backend theirs, size tiny" in out
    assert "theirs = golden, bit for bit: 5 of 5 layers of 1 image " in out


@pytest.mark.parametrize(("name", "message"), [
    ("absent", "AttributeError: .* has no attribute 'Absent'"),
    ("number", "TypeError: it must be a class derived from Device, not 3")])
def test_a_broken_backend_is_a_sentence(name, message, theirs, capsys):
    assert main(["run", DIGITS, "--backend", name]) == 2

    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"xymac run: Device {name} of package their_package is broken: ")
    assert re.search(message, line)


@pytest.mark.parametrize("command", ["build", "fit", "simulate", "run", "check"])
def test_their_board_is_listed(command, theirs, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])

    assert "their-board" in " ".join(capsys.readouterr().out.split())


def test_their_board_is_built_for(theirs, capsys):
    assert main(["build", "--board", "their-board", "--size", "base"]) == 2
    assert "Size base does not fit the LFE5U-25F of their-board" in capsys.readouterr().err

    assert main(["build", "--board", "number"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "xymac build: Board number of package their_package is broken: TypeError: it must be a "
        "Board, not 3")


def test_loading_passes_over_what_is_broken(theirs, caplog):
    def check(value):
        if isinstance(value, int):
            raise TypeError("no int")

    with caplog.at_level(logging.WARNING):
        loaded = load_extensions("xymac.boards", check)

    assert {*loaded} == {*list_extensions("xymac.boards")} - {"number"}
    assert [record.getMessage() for record in caplog.records] == [
        "Board number of package their_package is broken: TypeError: no int"]


def test_of_two_packages_the_first_one_has_the_name(theirs, tmp_path, monkeypatch, caplog):
    write_distribution(tmp_path / "more", "another_package", SOURCE,
                       {"xymac.commands": {"greet": "another_package:GREET"}})
    monkeypatch.syspath_prepend(tmp_path / "more")

    with caplog.at_level(logging.WARNING):
        entry = list_extensions("xymac.commands")["greet"]

    assert entry.value == "another_package:GREET"
    assert ("Command greet of package their_package is passed over: another_package has one of "
            "this name") in caplog.messages


def test_there_is_no_such_device():
    with pytest.raises(InputError, match=r"^Device must be one of machine, rtl, serial, not 'x'$"):
        load_device("x")

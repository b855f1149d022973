# SPDX-License-Identifier: Apache-2.0
"""The page for those with an accelerator of their own: its files, its commands, what they print."""

import os
import re
import subprocess
import sys

import pytest

import xymac
from docs.tables.documents import ROOT
from xymac.host.kit.candidates import singles
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.facts import QUANTITIES
from xymac.host.kit.operations import DIALECTS, OPERATIONS

PAGE  = (ROOT / "docs" / "verify-your-own.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NAME  = re.compile(r"(?:#|//|/\*) ([\w.]+)")
TOOLS = {"pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
         "xymac": [sys.executable, "-m", "xymac.host.cli"], "python": [sys.executable]}


def run(command, folder):
    """What a command of the page prints in a folder, spaces as `squeeze` leaves them."""
    tool, *arguments = command.split()
    done = subprocess.run([*TOOLS.get(tool, [tool]), *arguments], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    return squeeze(done.stdout)


def squeeze(text):
    """A text with one space where there are several, and none at the end of a line."""
    return re.sub(r" +(?=\n|$)", "", re.sub(r" +", " ", text))


def pattern_of(shown):
    """Regular expression of an output in which dots stand for anything."""
    return re.compile(re.escape(squeeze(shown).strip()).replace(r"\.\.\.", ".*"), re.DOTALL)


def commands(block):
    """[(command, output)] of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.long
def test_the_page_does_what_it_says(tmp_path):
    ran = 0
    for kind, block in BLOCK.findall(PAGE):
        if kind == "console":
            for command, shown in commands(block):
                printed = run(command, tmp_path)
                assert pattern_of(shown).search(printed), f"$ {command}\n{printed}"
                ran += 1
        else:
            (tmp_path / NAME.match(block)[1]).write_text(block, encoding="utf-8")

    assert ran > 8


def block_of(name):
    """The text of a file of the page."""
    [block] = [block for _, block in BLOCK.findall(PAGE) if block.startswith(f"# {name}")]
    return block


@pytest.mark.parametrize("name", ["my_adapter.py", "dut_adapter.py", "network_adapter.py"])
def test_adapters_of_the_page_load(name, tmp_path):
    (tmp_path / name).write_text(block_of(name), encoding="utf-8")

    assert load_adapter(tmp_path / name).supports


def test_the_adapter_of_nngen_is_that_of_the_tests():
    path = ROOT / "tests/sim/kit/nngen/adapter.py"
    _, _, head, *lines = path.read_text().splitlines(keepends=True)

    assert head == "\n"  # behind the licence and the docstring
    assert block_of("nngen_adapter.py") == "".join(["# nngen_adapter.py\n", *lines])


@pytest.mark.parametrize(("table", "names"), [
    ("door", xymac.__all__), ("quantities", QUANTITIES),
    ("operations", [*OPERATIONS, *DIALECTS, *(kind for kinds in DIALECTS.values()
                                              for kind in kinds)])])
def test_tables_name_everything(table, names):
    content = re.search(rf"<!-- names: {table} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)[1]
    written = re.findall(r"`([\w-]+)[`(]", content)

    assert set(names) <= set(written)
    if table == "door":
        assert set(written) == set(names)


def test_clauses_are_those_of_rules():
    content = re.search(r"<!-- names: rules -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)[1]
    known   = {rule.describe(shifts) for rule in singles() for shifts in (1, 2)}

    assert set(re.findall(r"`(.+?)`", content)) <= known

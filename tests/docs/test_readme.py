"""The README: short enough to be read, with a map that is the tree."""

import re

from docs.tables.documents import ROOT

TEXT     = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGES = ("hdl", "golden", "host", "sim", "boards")


def folders(package):
    """Names of the sub-packages of ``package``."""
    return {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}


def test_it_is_read_in_one_go():
    assert len(TEXT.splitlines()) <= 150
    assert TEXT.index("## Begin here") < TEXT.index("## The map") < TEXT.index("## What is")


def test_the_map_is_the_tree():
    [tree] = re.findall(r"^```\n(hdl/ .*?)```", TEXT, re.MULTILINE | re.DOTALL)
    parts  = dict(re.findall(r"^(\w+)/ +(.*\n(?:  .*\n)*)", tree, re.MULTILINE))

    assert list(parts) == [*PACKAGES, "tests", "docs"]
    for package in PACKAGES:
        _, *lines = parts[package].splitlines()
        named = {word for line in lines for column in re.split(r" {3,}", line.strip())
                 for word in column.split() if word in folders(package)}
        assert named == folders(package), package

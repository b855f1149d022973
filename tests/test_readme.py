"""The README: its example runs, and the tests and commands that it names exist."""

import re
import xml.etree.ElementTree as ElementTree
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np

from tests.support.costs import cells

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()


EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_example_runs():
    example, _ = EXAMPLES

    names = {}
    exec(example, names)

    assert names["result"].output.shape == (16, 32, 32)


def test_example_of_mli2_runs():
    names = {"np": np, "rng": np.random.default_rng(0)}
    exec(EXAMPLES[1], names)

    assert names["buffer"][..., 3:6].min() == 0 < names["buffer"].max()
    assert not names["buffer"][..., [0, 1, 2, 6, 7, 8]].any()


def test_named_tests_exist():
    named = set(re.findall(r"`(tests/[\w*]+\.py)`", TEXT))

    assert named
    assert not [name for name in named if not list(ROOT.glob(name))]


def test_tests_named_by_their_ends_exist():
    """`_dense` after `tests/golden/mli1/test_conv.py` goes behind that name or replaces its end."""
    rows  = re.findall(r"^\|.*`(tests/\w+)\.py`(?: and|,) (`_.*) \|$", TEXT, re.MULTILINE)
    named = [(first, end) for first, rest in rows for end in re.findall(r"`(_\w+)`", rest)]

    assert len(named) == TEXT.count("`_")
    for first, end in named:
        starts = first, first.rpartition("_")[0]
        assert any((ROOT / f"{start}{end}.py").exists() for start in starts), (first, end)


def test_commands_are_those_installed():
    named = set(re.findall(r"\| `xymac (\w+)", TEXT))

    assert named == {"bench"} | {entry.name for entry in entry_points(group="xymac.commands")}


def test_drawings_are_small_images():
    shown = re.findall(r"!\[.+\]\((.*)\)", TEXT)

    assert sorted(shown) == sorted(str(path.relative_to(ROOT))
                                   for path in (ROOT / "docs/figures").iterdir())
    for path in (ROOT / name for name in shown):
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert path.stat().st_size < 100_000


def test_tables_of_layers_agree_with_themselves():
    tables = re.findall(r"(\| layer \|.*\n(?:\|.*\n)+)", TEXT)

    assert len(tables) == 4
    for table in tables:
        *rows, total = ([int(cell.replace(",", "")) for cell in row[4:] if "%" not in cell]
                        for row in cells(table.splitlines())[1:])
        sums = [sum(column) for column in zip(*rows, strict=True)]
        assert abs(sums.pop(1) - total.pop(1)) <= len(rows) / 2  # floors are rounded
        assert sums == total


def test_named_make_targets_exist():
    targets = re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"`make (\w+)`", TEXT)) <= set(targets)

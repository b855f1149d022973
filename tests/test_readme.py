"""The README: its example runs, and the tests and commands that it names exist."""

import re
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


def test_example_runs():
    example, = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)

    names = {}
    exec(example, names)

    assert names["result"].output.shape == (16, 32, 32)


def test_named_tests_exist():
    named = set(re.findall(r"`(tests/[\w*]+\.py)`", TEXT))

    assert named
    assert not [name for name in named if not list(ROOT.glob(name))]


def test_commands_are_those_installed():
    named = set(re.findall(r"\| `xymac (\w+)", TEXT))

    assert named == {"bench"} | {entry.name for entry in entry_points(group="xymac.commands")}


def test_named_make_targets_exist():
    targets = re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"`make (\w+)`", TEXT)) <= set(targets)

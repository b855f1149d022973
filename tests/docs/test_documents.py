# SPDX-License-Identifier: Apache-2.0
"""The documents: examples run, and what they name or point at is there."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import entry_points

import pytest

from docs.tables.documents import DOCUMENTS, ROOT

TEXTS   = {path.relative_to(ROOT): path.read_text(encoding="utf-8")
           for path in (*DOCUMENTS, *map(ROOT.joinpath, ("CHANGELOG.md", "CONTRIBUTING.md",
                                                         "SECURITY.md")))}
each    = pytest.mark.parametrize("path", TEXTS, ids=str)
CONTENT = "".join(TEXTS.values())


def anchors(text):
    """Anchors of the headings, as a forge makes them."""
    heads = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


#: Examples in Python, but for those that are files: they begin with their names.
EXAMPLE = re.compile(r"```python\n(?!# \w+\.py\n)(.*?)```", re.DOTALL)


def test_examples_run():
    names = {}
    for text in TEXTS.values():
        for example in EXAMPLE.findall(text):
            exec(example, names)

    assert names["result"].output.shape == (16, 32, 32)
    assert names["inference"].compared == len(names["network"].layers)
    assert names["buffer"][..., 3:6].min() == 0 < names["buffer"].max()
    assert names["shares"].outputs[0].data.argmax() == names["pixels"].labels[0]
    assert names["shares"]["conv0"].data.shape == (1, 8, 8, 16)
    assert names["values"][1].output.data.tolist() == [[-123, 0, 81, 127]]
    assert not names["buffer"][..., [0, 1, 2, 6, 7, 8]].any()


@each
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", TEXTS[path])

    for name, anchor in links:
        target = ROOT / path.parent / name if name else ROOT / path
        assert target.is_file(), name
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), anchor


@each
def test_named_files_exist(path):
    """Names with a folder of ours in front, in code style; `<library>` stands for any."""
    named = re.findall(r"`((?:hdl|golden|host|sim|boards|tests|docs)/[\w/.<>*-]+)`", TEXTS[path])

    for name in named:
        pattern = re.sub(r"<\w+>", "*", name)
        made    = any(ROOT.glob(pattern)) or any(ROOT.glob(f"{pattern}.py"))
        assert made, name


@each
def test_named_modules_can_be_run(path):
    for name in re.findall(r"python -m\s+([\w.]+)", TEXTS[path]):
        if name in sys.stdlib_module_names:
            continue
        module = ROOT / name.removeprefix("xymac.").replace(".", "/")
        assert module.with_suffix(".py").is_file() or (module / "__main__.py").is_file(), name


def test_named_commands_are_those_installed():
    named = set(re.findall(r"`xymac (\w+)", CONTENT))

    assert named == {entry.name for entry in entry_points(group="xymac.commands")
                     if entry.dist.name == "xymac"}


def test_named_make_targets_exist():
    targets = re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"(?:`|^)make (\w+)", CONTENT, re.MULTILINE)) <= set(targets)


def test_drawings_are_small_images():
    shown = {ROOT / path.parent / name for path, text in TEXTS.items()
             for name in re.findall(r"!\[.+\]\((.*)\)", text)}

    assert shown
    for path in shown:
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert path.stat().st_size < 100_000

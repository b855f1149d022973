# SPDX-License-Identifier: Apache-2.0
"""The tutorial from top to bottom: its commands run, and print what the page shows."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

from docs.tables.documents import ROOT
from tests.docs.test_verify_your_own import commands, pattern_of, squeeze

PAGE   = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console ?(\w*)\n(.*?)```", PAGE, re.DOTALL)
TOOLS  = {"xymac": [sys.executable, "-m", "xymac.host.cli"], "python": [sys.executable]}
#: What a block needs: a module that may be absent, and the extra of xymac that has it.
NEEDS  = {"keras": ("tensorflow", "convert-keras"), "torch": ("litert_torch", "convert-torch"),
          "float": ("ai_edge_litert", "float")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the examples, in which later commands find the files of earlier ones."""
    made = tmp_path_factory.mktemp("tutorial")
    (made / "build").mkdir()
    (made / "examples").symlink_to(ROOT / "examples")
    return made


def run(command, folder):
    """Exit code of a command of the page, and what it prints."""
    tool, *arguments = command.split()
    done = subprocess.run([*TOOLS.get(tool, [tool]), *arguments], cwd=folder, text=True,
                          capture_output=True, check=False,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (
                              str(ROOT), os.environ.get("PYTHONPATH"))))})
    return done.returncode, squeeze(done.stdout), done.stderr


@pytest.mark.parametrize("number", range(len(BLOCKS)),
                         ids=[f"{number} {kind}" for number, (kind, _) in enumerate(BLOCKS)])
def test_a_block_does_what_it_says(number, folder):
    kind, block = BLOCKS[number]
    module, extra = NEEDS.get(kind, (None, None))
    if module and importlib.util.find_spec(module) is None:
        pytest.skip(f"needs the extra {extra}: {module} is not installed")
    if kind == "c" and shutil.which("cc") is None:
        pytest.skip("needs a C compiler")

    for command, shown in commands(block):
        code, printed, errors = run(command, folder)
        assert code == 0, f"$ {command}\n{printed}{errors}"
        assert pattern_of(shown).search(printed), f"$ {command}\n{printed}"


def test_the_steps_are_there_in_order():
    """The road: conversion, accuracy, golden, machine, RTL, C, and the bitstream that is shown."""
    steps = ["digits_keras.py -o", "xymac evaluate", "--backend machine", "--backend rtl",
             "xymac compile", "cc -I", "xymac build --board", "--port", "digits_torch.py -o",
             "keywords_keras.py -o"]
    places = [PAGE.index(step) for step in steps]

    assert places == sorted(places)
    assert len(BLOCKS) >= 9


def test_times_and_numbers_of_the_page_are_those_of_the_scripts():
    text = (ROOT / "examples/digits_keras.py").read_text() + (
        ROOT / "examples/convert_keras.py").read_text()

    assert "REPRESENTATIVE = 200" in text
    assert "5,994" in text

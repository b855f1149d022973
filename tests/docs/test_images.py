# SPDX-License-Identifier: Apache-2.0
"""The page on images shows a list as it lies in an image, and its programs run."""

import ctypes
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from xymac.hdl.isa import Command, ListStatus, Opcode, Region
from xymac.host.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/images.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the first command of the page has run."""
    [line] = re.findall(r"^xymac (compile .*)$", PAGE, re.MULTILINE)
    words  = line.split()
    place  = tmp_path_factory.mktemp("images")
    words[1] = str(ROOT / words[1])
    words[words.index("-o") + 1] = str(place / "build/digits_dma")
    assert main(words) == 0
    return place


@pytest.fixture(scope="module")
def image(folder):
    made = folder / "build/digits_dma"
    return (made / "image.bin").read_bytes(), json.loads((made / "image.json").read_text())


def test_the_shown_bytes_are_those_of_the_image(image):
    content, told = image
    lines = re.findall(r"^([0-9a-f]{5})((?:  (?:[0-9a-f]{2} ?){4}){4})$", PAGE, re.MULTILINE)
    assert len(lines) == 8
    assert int(lines[0][0], 16) == told["run"] == 18_944
    assert b"".join(bytes.fromhex(text) for _, text in lines) == content[told["run"]:]
    assert [int(at, 16) for at, _ in lines] == [*range(told["run"], len(content), 16)]


def test_the_explained_words_are_those_of_the_image(image):
    content, _ = image
    rows = re.findall(r"^\| `(4a[0-9a-f]{2})` \| ((?:`[0-9a-f]+`(?:, )?)+)", PAGE, re.MULTILINE)
    assert len(rows) == 14
    for at, words in rows:
        for number, word in enumerate(re.findall(r"`([0-9a-f]+)`", words)):
            place = int(at, 16) + 4 * number
            assert struct.unpack("<I", content[place:place + 4]) == (int(word, 16),), (at, word)


def test_the_explanation_is_right(image):
    content, told = image
    commands = [Command.decode(struct.unpack("<8I", content[at:at + 32]))
                for at in range(told["run"], len(content), 32)]
    x = Region.X.value
    assert commands == [
        Command(Opcode.LOAD, 0, 0, 0, x, 64, 1, 0, 0, narrow=True), Command(Opcode.RUN, 0, 1, 0),
        Command(Opcode.STORE, 1, 0, 64, x + 14_832, 10, 1, 0, 0, narrow=True),
        Command(Opcode.END)]
    assert (told["inputs"][0]["offset"], told["outputs"][0]["offset"]) == (0, 64)


def test_the_python_prints_the_commands(folder):
    [source] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", source], cwd=folder, capture_output=True,
                          text=True, check=True)
    assert re.findall(r"Opcode\.(\w+)", done.stdout) == ["LOAD", "RUN", "STORE", "END"]


def test_the_reasons_are_those_of_the_core():
    rows = re.findall(r"^\| (\d) `([A-Z]+)` \|", PAGE, re.MULTILINE)
    assert {name: int(code) for code, name in rows} == {
        status.name: status.value for status in ListStatus if status is not ListStatus.OK}


@pytest.mark.parametrize(("status", "returned"), [(0x2, 0), (0x10033, -1)])
def test_the_c_compiles_and_starts_both_lists(folder, status, returned):
    """With registers that answer at once, the last start is seen in them."""
    [source] = re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)
    made = folder / "build/digits_dma"
    (made / "classify.c").write_text(source)
    library = folder / f"classify{returned}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library,
                    made / "classify.c", made / "xymac_image.c"], check=True)
    core, memory = (ctypes.c_uint32 * 64)(), (ctypes.c_uint8 * 19_072)()
    core[0x3C // 4] = status
    memory[64:74] = [*range(10)]
    given, taken = (ctypes.c_int8 * 64)(*range(64)), (ctypes.c_int8 * 10)()
    function = ctypes.CDLL(str(library)).classify
    assert function(core, memory, ctypes.c_uint32(0x40000000), given, taken, 1) == returned
    assert (core[0x30 // 4], core[0x34 // 4]) == (0x40000000, 19_072)
    assert core[0x38 // 4] == (18_368 if returned else 18_944)
    assert [*memory[:64]] == [*range(64)]
    assert [*taken] == ([0] * 10 if returned else [*range(10)])

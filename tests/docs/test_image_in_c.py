# SPDX-License-Identifier: Apache-2.0
"""The chapter on images in C: its commands compile, and its program classifies."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.support.c.golden_core import GoldenCore, run_beside
from tests.support.c.programs import PROGRAMS, compile_c, link_program
from xymac.hdl.config import find_size
from xymac.host.c.sources import DRIVER
from xymac.host.cli.main import main
from xymac.host.network.load import load_model
from xymac.host.network.session import Session

ROOT    = Path(__file__).parents[2]
CHAPTER = (ROOT / "docs/integration.md").read_text(encoding="utf-8").partition(
    "\n### An image in C\n")[2].partition("\n### ")[0]
LINES   = re.search(r"```\n(.*?)```", CHAPTER, re.DOTALL)[1].splitlines()
PROGRAM = r"""
#include <stdio.h>
#include "network.h"
int classify(xymac_core *core, const int8_t (*images)[DIGITS_CNN_INPUT0_COUNT], unsigned count,
             unsigned *classes, const char **reason);
int xymac_bus_open(xymac_core *core);
static int8_t images[COUNT][DIGITS_CNN_INPUT0_COUNT];
int main(void)
{
    unsigned classes[COUNT], index;
    const char *reason = "no core";
    xymac_core core;
    if (fread(images, sizeof images, 1, stdin) != 1 || xymac_bus_open(&core)
        || xymac_open(&core) != XYMAC_OK
        || classify(&core, (const int8_t (*)[DIGITS_CNN_INPUT0_COUNT])images, COUNT, classes,
                    &reason)) {
        puts(reason);
        return 2;
    }
    for (index = 0; index < COUNT; index++)
        printf("%u ", classes[index]);
    puts(reason);
    return 0;
}
"""
COUNT   = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands of the chapter have run."""
    place = tmp_path_factory.mktemp("chapter")
    (place / "host").symlink_to(ROOT / "host")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for line in LINES:
            command, _, words = line.partition(" ")
            if command == "xymac":
                assert main(words.split()) == 0
            else:
                subprocess.run(f"{line} -Wall -Wextra -pedantic -Werror -o program", shell=True,
                               check=True)
    return place


def test_the_commands_make_a_program(folder):
    assert [line.split()[0] for line in LINES] == ["xymac", "xymac", "cc"]
    assert (folder / "program").stat().st_size > 0


@pytest.mark.parametrize("ends", [True, False])
def test_the_program_of_the_chapter(folder, ends):
    driver, made = folder / "build/verilog_dma", folder / "build/digits_c"
    for name in DRIVER:
        (made / name).write_text((driver / name).read_text())
    (made / "xymac.h").write_text((driver / "xymac.h").read_text())
    [program] = re.findall(r"```c\n(.*?)```", CHAPTER, re.DOTALL)
    for name, text in (("classify.c", program), ("classes.c", PROGRAM),
                       ("pipe.c", (PROGRAMS / "pipe.c").read_text())):
        (made / name).write_text(text)
    names   = ("classify.c", "classes.c", "pipe.c", "network.c", *DRIVER)
    program = link_program(made, [compile_c(made / name, made, f"-DCOUNT={COUNT}")
                                  for name in names if name.endswith(".c")])
    with np.load(ROOT / "host/examples/data/digits_pixels.npz") as arrays:
        images = next(array for name, array in arrays.items() if name != "labels")[:COUNT]
    session = Session(load_model(ROOT / "host/examples/data/digits_cnn.tflite"))
    classes = [int(session.run(image[None]).outputs[0].data.argmax()) for image in images]

    core = GoldenCore(find_size("base,dma=32"), ends=ends)
    code, out = run_beside(core, program, given=images.tobytes())

    assert (code, out.decode()) == ((0, f"{' '.join(map(str, classes))} no error\n") if ends else (
        2, "the program did not end\n"))
    assert len({*classes}) > 1

# SPDX-License-Identifier: Apache-2.0
"""The driver in C: clean under strict compilers, and what it refuses."""

import re
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

from tests.support.c.programs import (
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
    write_driver,
)
from xymac.hdl.config import TINY
from xymac.hdl.isa import PLACES, TABLE_ENTRIES, TABLES, Region, pack_place
from xymac.host.c.sources import DRIVER, MLI

SOURCES  = [name for name in DRIVER if name.endswith(".c")]
DOCUMENT = Path(__file__).parents[3] / "docs/integration.md"


@pytest.fixture
def driver(tmp_path):
    """A folder with the driver."""
    write_driver(tmp_path)
    return tmp_path


@pytest.mark.parametrize("cpp", [False, True], ids=["c99", "c++"])
@pytest.mark.parametrize("source", [*SOURCES, *(name for name in MLI if name.endswith(".c"))])
def test_compilers_have_nothing_to_say(driver, source, cpp):
    compile_c(driver / source, driver, "-Wconversion", "-Wshadow", cpp=cpp)


def test_nothing_of_libc_is_needed(driver):
    for source in SOURCES:
        text = (driver / source).read_text() + (driver / "xymac.h").read_text()
        assert {line for line in text.splitlines() if line.startswith("#include <")} <= {
            "#include <string.h>", "#include <stdint.h>", "#include <stddef.h>"}


def test_the_example_of_the_documents(driver):
    chapter = DOCUMENT.read_text().partition("\n## In C\n")[2].partition("\n### ")[0]
    [example] = re.findall(r"```c\n(.*?)```", chapter, re.DOTALL)
    (driver / "example.c").write_text(example)

    compile_c(driver / "example.c", driver)


@pytest.mark.parametrize("interrupt", [False, True], ids=["polls", "interrupt"])
def test_the_driver_on_a_core(driver, interrupt):
    (driver / "calls.c").write_text((PROGRAMS / "calls.c").read_text())
    program = link_with_core(TINY, driver, compile_c(driver / "calls.c", driver))

    code, out = run_program(program, interrupt=interrupt)

    assert code == 0, out
    assert out.decode().splitlines() == [
        "tiny: 1 way, 4 lanes, 32 passes, 2048 rows of X, 4096 of Y, dialects 7, engine 0",
        "cells: kept",
        "beyond X: the core does not have so many cells, passes or entries",
        "beyond Y: the core does not have so many cells, passes or entries",
        "no memory: the core does not have so many cells, passes or entries",
        "passes: the core does not have so many cells, passes or entries",
        "entries: the core does not have so many cells, passes or entries",
        "place: the core does not have so many cells, passes or entries",
        "first pass: the core does not have so many cells, passes or entries",
        ("empty program: the program stopped with a fault, pass 0, the core does not have the "
         "operation, heap or table of a pass"),
        "after it: state 0",
        "run: no error, sum 42, state 2, 1 step issued, record 1 step and written",
        "table: 1234",
        "running: a program is running",
        "limit: the program did not end" if not interrupt else "limit: no error",
        f"then: the program {'ended as it should' if interrupt else 'was stopped'}",
        "stopped: the program was stopped",
        "beyond the address space: a word was not read or written"]


def sum_of_tables():
    """The sum that ``fake.c`` prints of the words of tables and places."""
    words = np.zeros((0x1000 + Region.PLACES.value - Region.TABLES.value) // 4, np.uint32)
    entries = np.array([0] * TABLE_ENTRIES, np.int16)
    for table, place in PLACES.items():
        entries[place.first:place.first + place.entries] = TABLES[table].values
        words[(Region.PLACES.value - Region.TABLES.value) // 4 + table.value] = pack_place(place)
    words[:TABLE_ENTRIES // 2] = entries.view(np.uint32)
    return reduce(lambda total, word: (31 * total + word) % (1 << 32), words.tolist(), 0)


def test_what_is_no_core_is_refused(driver):
    (driver / "fake.c").write_text((PROGRAMS / "fake.c").read_text())
    objects = [compile_c(driver / name, driver) for name in ("fake.c", *SOURCES)]
    program = link_program(driver, objects)

    code, out = run_program(program)

    assert code == 0
    assert out.decode().splitlines() == [
        "nothing: a word was not read or written",
        "memory: there is no xymac core at this place",
        "later core: the core has a version that this driver does not know",
        "compact core: the core has no tables that can be written",
        "other size: the network is compiled for another size of the core",
        ("other functions: the core lacks an operation or a reduction that the network "
         "needs"),
        f"tables: {sum_of_tables()}",
        "error 99: unknown error", "status 99: unknown status"]

# SPDX-License-Identifier: Apache-2.0
"""Programs in the manner of both releases: positional initialisers, strides, moves, a table of
layers, parts moved on by hand. They compile without a warning as C and as C++, no call is refused,
and the core prints what golden prints.
"""

import pytest

from tests.support.c.programs import (
    COMMON,
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
)
from tests.support.images import with_dma
from xymac.hdl.config import TINY
from xymac.host.cli.main import main

#: Release and further sources of each program.
RELEASES = {"mli_layers.c": ("10", ()), "mli_parts.c": ("10", ()),
            "mli_moves.c": ("11", ("xymac_mli_mov.c", "xymac_mli_mov_cfg.c"))}

#: Lines with a status that each prints.
CALLS    = {"mli_layers.c": 7, "mli_parts.c": 7, "mli_moves.c": 10}


def build(driver, name, *, cpp=False):
    """Object files of a program and of the functions that it calls."""
    release, more = RELEASES[name]
    (driver / name).write_text((PROGRAMS / name).read_text())
    made = compile_c(driver / name, driver, f"-DXYMAC_MLI_RELEASE={release}", cpp=cpp)
    return [made, *(compile_c(driver / each, driver, f"-DXYMAC_MLI_RELEASE={release}")
                    for each in (*COMMON, *more))]


def record(driver, name, objects):
    """The program that tells its calls."""
    option = f"-DXYMAC_MLI_RELEASE={RELEASES[name][0]}"
    return link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver, option)]).rename(driver / "recorded")


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("cpp", [False, True], ids=["c", "c++"])
def test_no_call_is_refused(driver, name, cpp, capfd):
    recorded = record(driver, name, build(driver, name, cpp=cpp))

    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown, errors = capfd.readouterr()

    assert "0 of them refused" in shown
    assert shown.count("status 0") == shown.count("status") == CALLS[name]
    assert errors == ""


@pytest.mark.long
@pytest.mark.parametrize("config", [TINY, with_dma(TINY)], ids=["plain", "dma"])
@pytest.mark.parametrize("name", RELEASES)
def test_the_core_prints_what_golden_prints(driver, name, config, capfd):
    objects  = build(driver, name)
    recorded = record(driver, name, objects)
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown = capfd.readouterr().out

    option  = f"-DXYMAC_MLI_RELEASE={RELEASES[name][0]}"
    program = link_with_core(config, driver, *objects, *(
        compile_c(driver / each, driver, option) for each in ("xymac_mli_run.c", "calls.c")))
    code, actual = run_program(program)

    assert code == 0
    assert actual.decode() == shown[:shown.index(str(recorded))]

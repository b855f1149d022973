# SPDX-License-Identifier: Apache-2.0
"""A program in the manner of the vendor's examples: release mode, and the modes that examine."""

import re
import subprocess

import pytest

from tests.support.c.programs import (
    COMMON,
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
)
from xymac.hdl.config import CORES
from xymac.host.cli.main import main

EXAMPLE = "mli_example.c"


def build(driver, *options):
    """Object files of the example and of the functions, by the same options."""
    (driver / EXAMPLE).write_text((PROGRAMS / EXAMPLE).read_text())
    return [compile_c(driver / name, driver, *options) for name in (EXAMPLE, *COMMON)]


def record(driver, *options):
    """The program that tells its calls."""
    made = link_program(driver, [*build(driver, *options), compile_c(
        driver / "xymac_mli_record.c", driver, *options)])
    return made.rename(driver / "recorded")


@pytest.mark.parametrize("size", ["tiny", pytest.param("base", marks=pytest.mark.long)])
@pytest.mark.parametrize("release", ["10", "11"])
def test_example_in_release_mode(driver, size, release, capfd):
    option = f"-DXYMAC_MLI_RELEASE={release}"
    recorded = record(driver, option)
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", size]) == 0
    shown, errors = capfd.readouterr()

    program = link_with_core(CORES[size], driver, *build(driver, option), *(
        compile_c(driver / name, driver, option) for name in ("xymac_mli_run.c", "calls.c")))
    code, actual = run_program(program)

    assert (code, errors) == (0, "")
    assert actual.decode() == shown[:shown.index(str(recorded))]
    assert {int(each) for each in re.findall(r"status (\d+)", actual.decode())} == {0}
    assert len(set(re.findall(r"step: .*", actual.decode()))) == 6


def test_a_mode_that_examines_refuses_the_sum(driver, capfd):
    recorded = record(driver, "-DMLI_DEBUG_MODE=DBG_MODE_RET_CODES")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown, errors = capfd.readouterr()

    assert "refused" in shown
    assert "mli_krn_basic_rnn_cell" not in errors
    assert errors.splitlines()[0].startswith(
        "mli_krn_eltwise_add_fx16: Both inputs must have the same fractional bits")
    assert errors.splitlines()[0].endswith("(status 3)")


def test_a_refused_call_on_the_core_says_why(driver, capfd):
    recorded = record(driver)
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    capfd.readouterr()
    objects = build(driver)
    text = (driver / EXAMPLE).read_text().replace("RNN_BATCH_TO_BATCH, RNN_ACT_TANH, &ir",
                                                  "RNN_BATCH_TO_BATCH, RNN_ACT_SIGM, &ir")
    (driver / EXAMPLE).write_text(text)
    objects[0] = compile_c(driver / EXAMPLE, driver)

    program = link_with_core(CORES["tiny"], driver, *objects, *(
        compile_c(driver / name, driver) for name in ("xymac_mli_run.c", "calls.c")))
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600)

    assert done.returncode == 0
    assert "lstm: status 4" in done.stdout
    assert done.stderr.splitlines()[0] == (
        "mli_krn_lstm_cell_fx16: no call with this configuration was prepared (status 4)")

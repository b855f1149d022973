# SPDX-License-Identifier: Apache-2.0
"""Specialised function names of MLI 1.x, such as ``conv2d_chw_fx8_k2x2_str1``."""

import subprocess

import pytest

from tests.support.c.programs import COMMON, PROGRAMS, compile_c, link_program
from xymac.golden.api.mli1.functions import MLI_STATUS_SPEC_PARAM_MISMATCH
from xymac.host.c.calls import record_calls


def record_special(driver, name):
    """Calls of a program that calls a specialised function of that name."""
    text = (PROGRAMS / "mli_changed.c").read_text().replace(
        "= mli_krn_conv2d_chw_fx8(", f"= mli_krn_{name}(")
    (driver / "special.c").write_text(text)
    return record_calls(link_program(driver, [
        compile_c(driver / source, driver)
        for source in ("special.c", *COMMON, "xymac_mli_record.c")]))


@pytest.mark.parametrize("name", ["conv2d_chw_fx8_k2x2_str1", "conv2d_chw_fx8_k2x2_ch1_str1_nopad",
                                  "conv2d_chw_fx8_generic"])
def test_specialised_functions(driver, name):
    assert [(call.name, call.status) for call in record_special(driver, name)] == [
        (f"mli_krn_{name}", 0)]


def test_a_promise_that_the_call_breaks(driver, capfd):
    [call] = record_special(driver, "conv2d_chw_fx8_k3x3_str1")
    assert call.status == MLI_STATUS_SPEC_PARAM_MISMATCH
    assert capfd.readouterr().err == (f"{call.name}: {call.reason} (status 7)\n")


def test_names_cost_no_memory(driver):
    """Unused specialised functions leave nothing in an object file."""
    (driver / "empty.c").write_text('#include "mli_api.h"\nint main(void) { return 0; }\n')
    made = compile_c(driver / "empty.c", driver)
    shown = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
    assert shown.split()[-1:] == ["main"]

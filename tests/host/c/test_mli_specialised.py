# SPDX-License-Identifier: Apache-2.0
"""Specialised function names of MLI 1.x, such as ``conv2d_chw_fx8_k2x2_str1``."""

import pytest

from tests.support.c.programs import COMMON, PROGRAMS, compile_c, link_program
from xymac.host.c.calls import record_calls
from xymac.host.errors import InputError


def record_special(driver, name):
    """Calls of a program that calls a specialised function of that name."""
    text = (PROGRAMS / "mli_changed.c").read_text().replace(
        "= mli_krn_conv2d_chw_fx8(", f"= mli_krn_{name}(")
    (driver / "special.c").write_text(text)
    return record_calls(link_program(driver, [
        compile_c(driver / source, driver, f"-DXYMAC_MLI_MORE_CONVOLUTIONS(F)=F({name})")
        for source in ("special.c", *COMMON, "xymac_mli_record.c")]))


def test_specialised_functions(driver):
    assert [(call.name, call.status) for call in record_special(
        driver, "conv2d_chw_fx8_k2x2_str1")] == [("mli_krn_conv2d_chw_fx8_k2x2_str1", 0)]


def test_a_name_that_is_none(driver):
    with pytest.raises(InputError, match=r"^The program: mli_krn_conv2d_chw_fx8_k2x2_fast is not a "
                                         r"function of MLI 1.x: _fast is no part"):
        record_special(driver, "conv2d_chw_fx8_k2x2_fast")

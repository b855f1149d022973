# SPDX-License-Identifier: Apache-2.0
"""Concatenations of many tensors, and a small ``MLI_CONCAT_MAX_TENSORS``."""

import pytest

from tests.support.c.programs import (
    COMMON,
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
)
from xymac.hdl.config import TINY
from xymac.host.cli.main import main


@pytest.mark.parametrize("count", [2, 9, 40])
def test_as_many_as_the_program_says(driver, count, capfd):
    """With the sanitizer of undefined behaviour; a cell has more tensors than the smallest count.
    """
    options = [f"-DCOUNT={count}", f"-DMLI_CONCAT_MAX_TENSORS={count}", "-fsanitize=undefined",
               "-fno-sanitize-recover=all"]
    (driver / "mli_concat.c").write_text((PROGRAMS / "mli_concat.c").read_text())
    objects  = [compile_c(driver / name, driver, *options) for name in ("mli_concat.c", *COMMON)]
    recorded = link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver, *options)], "-lubsan").rename(driver / "recorded")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    joined, *states = capfd.readouterr().out.splitlines()[:3]

    assert joined == "0:" + "".join(f" {(7 * index + 128) % 256 - 128}"
                                    for index in range(3 * count))
    assert states == ["0: -63 47", "0: -36 35"]

    program = link_with_core(TINY, driver, *objects, *(
        compile_c(driver / name, driver, *options) for name in ("xymac_mli_run.c", "calls.c")),
        "-lubsan")
    code, actual = run_program(program)
    assert (code, actual.decode().splitlines()) == (0, [joined, *states])

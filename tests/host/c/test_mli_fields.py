# SPDX-License-Identifier: Apache-2.0
"""Fields of ``out`` in C: stale ones mean nothing, capacities and strides are kept."""

import numpy as np

from tests.support.c.programs import (
    COMMON,
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
)
from xymac.golden import run
from xymac.golden.mli1 import AvePool, FullyConnected, Layout, MaxPool, Tensor
from xymac.hdl.config import TINY
from xymac.host.cli.main import main

_X = np.array([5, -7, 9, 100, -128, 127, 3, -4, 64, -65, 11, 12], np.int8).reshape(2, 3, 2)
_W = np.array([1, -2, 3, 4, 5, 6, 7, 8, 9, 10, -11, 12, -1, 2, 3, 4, -5, 6, 7, 8, 0, 0, 0, 0],
              np.int8).reshape(2, 12)
_B = np.array([50, -60], np.int8)


def expected():
    """Lines of ``mli_fields.c``."""
    def memory(values=()):
        return " |" + "".join(f" {value}" for value in [*values, *[77] * (40 - len(values))])
    full = run(FullyConnected(Tensor(_W, 6), Tensor(_B, 7), 3), Tensor(_X, 4)).output.data
    pools = [run(kind((2, 2), (1, 1), (0, 0, 0, 0), Layout.HWC), Tensor(_X, 0)).output.data
             for kind in (MaxPool, AvePool)]
    made = "rank 1 type 0: 2 frac_bits 3" + memory(full.tolist())
    return [f"type: 0 {made}", f"stride 1: 0 {made}", "stride 2: 6" + memory(),
            "no capacity: 5" + memory(),
            *(f"{name}pool sa8: 0 rank 3 type 2: 1 2 2 scale 123456{memory(data.reshape(-1))}"
              for name, data in zip(("max", "ave"), pools, strict=True))]


def test_fields_of_out(driver, capfd):
    option = "-DXYMAC_MLI_RELEASE=11"
    (driver / "mli_fields.c").write_text((PROGRAMS / "mli_fields.c").read_text())
    objects  = [compile_c(driver / name, driver, option) for name in ("mli_fields.c", *COMMON)]
    recorded = link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver, option)]).rename(driver / "recorded")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown, errors = capfd.readouterr()

    assert shown.splitlines()[:6] == expected()
    assert [line.rpartition(" (")[2] for line in errors.splitlines()] == ["status 6)", "status 5)"]

    program = link_with_core(TINY, driver, *objects, *(
        compile_c(driver / name, driver, option) for name in ("xymac_mli_run.c", "calls.c")))
    code, actual = run_program(program)
    assert (code, actual.decode().splitlines()) == (0, expected())

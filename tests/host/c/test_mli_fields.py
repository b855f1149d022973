# SPDX-License-Identifier: Apache-2.0
"""Fields of ``out`` in C: stale ones mean nothing, capacities and strides are kept."""

import os
import subprocess

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


SCRATCH = """
#include <stddef.h>
#include "mli_api.h"
static int8_t x[2], weights[8], bias[2], state[2], room[2], scratch[2];
int main(void)
{
    mli_tensor tx = {x, 2, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor tw = {weights, 8, {2, 4, 0, 0}, 2, MLI_EL_FX_8, {{7}}};
    mli_tensor tb = {bias, 2, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor th = {state, 2, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor ty = {room, 2, {2, 9, 9, 9}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor ts = {scratch, 2, {2, 9, 9, 9}, 1, MLI_EL_FX_8, {{7}}};
    mli_rnn_cell_cfg cfg = {RNN_ONE_TO_ONE, RNN_ACT_TANH, NULL};
    cfg.ir_tsr = &ts;
    return mli_krn_basic_rnn_cell_fx8(&tx, &th, &tw, &tb, &cfg, &ty) != MLI_STATUS_OK;
}
"""


def test_stale_fields_of_scratch_memory(driver):
    """No bytes of ``ir_tsr`` are told, whose shape means nothing and may go beyond its memory."""
    (driver / "scratch.c").write_text(SCRATCH)
    program = link_program(driver, [compile_c(driver / name, driver) for name in (
        "scratch.c", *COMMON, "xymac_mli_record.c")])
    subprocess.run([program], env={"XYMAC_CALLS": str(driver / "told"),
                                   "XYMAC_ANSWERS": os.devnull}, timeout=60, check=False)

    *_, out, scratch = (driver / "told").read_bytes().splitlines()
    assert [each.split()[-1] for each in (out, scratch)] == [b"0", b"0"]


TYPES = """
#include <stdio.h>
#include "mli_api.h"
static int8_t x[8], w[4] = {1, 2, 3}, y[64];
static int32_t b[2] = {100000, -7};
int main(void)
{
    mli_tensor tx = {x, 8, {0}, {2, 2, 2, 0}, 3, MLI_EL_FX_8, {{7}}};
    mli_tensor tw = {w, 4, {0}, {2, 1, 1, 2}, 4, MLI_EL_FX_8, {{7}}};
    mli_tensor tb = {b, 8, {0}, {2, 0, 0, 0}, 1, MLI_EL_ASYM_I32, {{7}}};
    mli_tensor ty = {y, 64, {0}, {0, 0, 0, 0}, 0, MLI_EL_FX_8, {{7}}};
    mli_conv2d_cfg cfg = {{MLI_RELU_NONE}, 1, 1, 0, 0, 0, 0};
    printf("%d", (int)mli_krn_conv2d_nhwc_sa8_sa8_sa32(&tx, &tw, &tb, &cfg, &ty));
    printf(" %d", (int)mli_krn_conv2d_hwc_fx8(&tx, &tw, &tb, &cfg, &ty));
    tb.el_type = (mli_element_type)7;
    printf(" %d", (int)mli_krn_conv2d_hwc_fx8(&tx, &tw, &tb, &cfg, &ty));
    tb.rank = 0;
    printf(" %d\\n", (int)mli_krn_conv2d_hwc_fx8(&tx, &tw, &tb, &cfg, &ty));
    return 0;
}
"""


def test_constants_of_types_that_no_function_takes(driver, capfd):
    """The core refuses them as golden does: elements of 32 bits, and of an unknown type."""
    option = "-DXYMAC_MLI_RELEASE=11"
    (driver / "types.c").write_text(TYPES)
    objects  = [compile_c(driver / name, driver, option) for name in ("types.c", *COMMON)]
    recorded = link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver, option)]).rename(driver / "recorded")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    assert capfd.readouterr().out.startswith("6 6 1 1\n")

    program = link_with_core(TINY, driver, *objects, *(
        compile_c(driver / name, driver, option) for name in ("xymac_mli_run.c", "calls.c")))
    assert run_program(program) == (0, b"6 6 1 1\n")


LENT = """
#include <stdio.h>
#include <string.h>
#include "mli_api.h"
static int8_t x[2] = {90, -50}, weights[32], bias[16], hidden[2], cell[2], scratch[8], dense[4];
int main(void)
{
    mli_tensor tx = {x, 2, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor tw = {weights, 32, {4, 2, 4, 0}, 3, MLI_EL_FX_8, {{7}}};
    mli_tensor tb = {bias, 8, {4, 2, 0, 0}, 2, MLI_EL_FX_8, {{7}}};
    mli_tensor th = {hidden, 2, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_tensor tc = {cell, 0, {2, 0, 0, 0}, 1, MLI_EL_FX_8, {{4}}};
    mli_tensor ts = {scratch, 8, {0, 0, 0, 0}, 0, MLI_EL_FX_8, {{7}}};
    mli_tensor td = {dense, 4, {2, 2, 0, 0}, 2, MLI_EL_FX_8, {{7}}};
    mli_tensor ty = {bias, 16, {0, 0, 0, 0}, 0, MLI_EL_FX_8, {{7}}};
    mli_rnn_cell_cfg cfg = {RNN_ONE_TO_ONE, RNN_ACT_TANH, NULL};
    cfg.ir_tsr = &ts;
    memset(weights, 60, sizeof weights);
    memset(dense, 60, sizeof dense);
    memset(bias, 30, sizeof bias);
    printf("%d", (int)mli_krn_lstm_cell_fx8(&tx, &th, &tw, &tb, &cfg, &tc, &th));
    printf(" %d %d %d", hidden[0], cell[0], cell[1]);
    tb.rank = 1;
    tb.shape[0] = 2;
    printf(" %d", (int)mli_krn_fully_connected_fx8(&tx, &td, &tb, &ty));
    printf(" %d %d\\n", bias[0], bias[1]);
    return 0;
}
"""


def test_a_cell_without_a_capacity_and_a_result_on_the_bias(driver, capfd):
    """Release mode reads no capacity of a cell; a recorded bias is the one before the call."""
    (driver / "lent.c").write_text(LENT)
    objects  = [compile_c(driver / name, driver) for name in ("lent.c", *COMMON)]
    recorded = link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver)]).rename(driver / "recorded")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown = capfd.readouterr().out.splitlines()[0]
    full  = run(FullyConnected(Tensor(np.full((2, 2), 60, np.int8), 7),
                               Tensor(np.full(2, 30, np.int8), 7), 7),
                Tensor(np.array([90, -50], np.int8), 7)).output.data

    program = link_with_core(TINY, driver, *objects, *(
        compile_c(driver / name, driver) for name in ("xymac_mli_run.c", "calls.c")))
    assert run_program(program) == (0, f"{shown}\n".encode())
    assert shown.startswith("0 ")
    assert shown.endswith(f" 0 {full[0]} {full[1]}")


ODD = """
#include <stdio.h>
#include <stdint.h>
#include "mli_api.h"
static int16_t x[5] = {1, 2, 3, 4, 5}, w[6] = {16384, 0, 0, 16384}, b[2], y[5];
static char *odd(int16_t *data, int is_odd)
{
    return (char *)data + is_odd;
}
int main(void)
{
    int which;
    for (which = 0; which < 16; which = which ? 2 * which : 1) {
        mli_tensor tx = {odd(x, which == 1), 4, {2, 0, 0, 0}, 1, MLI_EL_FX_16, {{8}}};
        mli_tensor tw = {odd(w, which == 2), 8, {2, 2, 0, 0}, 2, MLI_EL_FX_16, {{14}}};
        mli_tensor tb = {odd(b, which == 4), 2, {2, 0, 0, 0}, 1, MLI_EL_FX_16, {{8}}};
        mli_tensor ty = {odd(y, which == 8), 8, {0, 0, 0, 0}, 0, MLI_EL_FX_8, {{8}}};
        tb.capacity = 4;
        printf("%d ", (int)mli_krn_fully_connected_fx16(&tx, &tw, &tb, &ty));
        printf("%d %d\\n", y[0], y[1]);
    }
    return 0;
}
"""


def test_elements_at_odd_addresses(driver, capfd):
    """The function refuses them with a sentence, recorded and on the core, and writes nothing."""
    (driver / "odd.c").write_text(ODD)
    objects  = [compile_c(driver / name, driver) for name in ("odd.c", *COMMON)]
    recorded = link_program(driver, [*objects, compile_c(
        driver / "xymac_mli_record.c", driver)]).rename(driver / "recorded")
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    shown, errors = capfd.readouterr()
    wanted = "0 1 2\n" + "1 1 2\n" * 4
    assert shown.startswith(wanted)
    assert errors == ("mli_krn_fully_connected_fx16: data of a tensor must lie at a multiple of "
                      "its element size (status 1)\n") * 4

    program = link_with_core(TINY, driver, *objects, *(
        compile_c(driver / name, driver) for name in ("xymac_mli_run.c", "calls.c")))
    assert run_program(program) == (0, wanted.encode())

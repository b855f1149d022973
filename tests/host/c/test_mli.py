# SPDX-License-Identifier: Apache-2.0
"""Programs over the functions of MLI 1.x are recorded, and give the same on the core."""

import re

import pytest

from tests.support.c.programs import (
    COMMON,
    PROGRAMS,
    compile_c,
    link_program,
    link_with_core,
    run_program,
)
from tests.support.licence import is_licensed
from xymac.golden.api.mli1 import configs, functions
from xymac.golden.api.types import mli_status
from xymac.hdl.config import CORES, TINY
from xymac.host.c.calls import record_calls
from xymac.host.c.prepared import calls_file
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError

SIZES = [pytest.param(size, marks=[pytest.mark.long] * (size != "tiny")) for size in CORES]


def build(driver, name, *options):
    """Object file of a program."""
    (driver / name).write_text((PROGRAMS / name).read_text())
    return compile_c(driver / name, driver, *options)


def link_recorded(driver, program):
    """The program that tells its calls."""
    recorded = link_program(driver, [program, *(
        compile_c(driver / name, driver) for name in (*COMMON, "xymac_mli_record.c"))])
    return recorded.rename(driver / "recorded")


def link_prepared(driver, program, size):
    """The program that runs on a core."""
    return link_with_core(CORES[size], driver, program, *(
        compile_c(driver / name, driver) for name in (*COMMON, "xymac_mli_run.c", "calls.c")))


@pytest.mark.parametrize("size", SIZES)
def test_every_kind_of_function(driver, size, capfd):
    program  = build(driver, "mli_program.c")
    recorded = link_recorded(driver, program)
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", size]) == 0
    out = capfd.readouterr().out

    code, actual = run_program(link_prepared(driver, program, size), interrupt=True)

    expected, said = out[:out.index(str(recorded))], out[out.index(str(recorded)):]
    assert code == 0
    assert actual.decode() == expected
    assert said == (f"{recorded}: 32 calls, size {size}, 5 of them refused\n"
                    f"Written to {driver}: calls.c\n")
    assert actual.count(b"status 0") > 35
    assert {int(status) for status in re.findall(rb"status (\d+)", actual)} == {0, 1, 4, 5, 12}


@pytest.fixture(scope="module")
def prepared(driver):
    """The calls of ``mli_changed.c`` as it is, prepared."""
    recorded = link_recorded(driver, build(driver, "mli_changed.c"))
    with MachineDevice(TINY) as device:
        return calls_file(record_calls(recorded), device)


@pytest.mark.parametrize(("changed", "status"), list(enumerate([
    "OK", "SHAPE_MISMATCH", "TYPE_MISMATCH", "INCOMPATEBLE_TENSORS", "BAD_FUNC_CFG",
    "SPEC_PARAM_MISMATCH", "BAD_TENSOR", "NOT_ENGH_MEM", "BAD_TENSOR", "OK", "NOT_SUPPORTED",
    "NOT_SUPPORTED", "BAD_FUNC_CFG"])))
def test_a_call_that_is_not_prepared(driver, prepared, changed, status):
    (driver / "calls.c").write_text(prepared)
    program = link_prepared(driver, build(driver, "mli_changed.c", f"-DCHANGED={changed}"), "tiny")

    assert run_program(program) == (0, b"%d\n" % functions.mli_status[f"MLI_STATUS_{status}"])


def test_prepared_calls_name_the_licence_once(prepared):
    assert is_licensed(prepared)


def test_a_core_that_cannot_be_reached(driver, prepared):
    """``xymac_mli_error`` says what."""
    (driver / "lost.c").write_text(LOST)
    (driver / "mli_changed.c").write_text((PROGRAMS / "mli_changed.c").read_text().replace(
        "int main", "int call(void); int call"))
    (driver / "calls.c").write_text(prepared)
    program = link_program(driver, [compile_c(driver / name, driver, "-DCHANGED=0") for name in (
        "lost.c", "mli_changed.c", *COMMON, "xymac_mli_run.c", "calls.c", "xymac.c",
        "xymac_network.c", "xymac_edges.c")])

    assert run_program(program) == (0, b"6\na word was not read or written\n")


LOST = """
#include <stdio.h>
#include "xymac_mli_run.h"
int call(void);
static int no_read(void *context, uint32_t offset, uint32_t *word)
{ (void)context; (void)offset; (void)word; return 1; }
static int no_write(void *context, uint32_t offset, uint32_t word)
{ (void)context; (void)offset; (void)word; return 1; }
int xymac_bus_open(xymac_core *core) { core->read = no_read; core->write = no_write; return 0; }
int main(void) { call(); puts(xymac_error_text(xymac_mli_error())); return 0; }
"""


def test_codes_are_those_of_the_library(driver):
    members = [member for kind in configs.ENUMERATIONS for member in kind
               if member not in (13, 14) or kind is not mli_status]  # of MLI 2.0 alone
    (driver / "codes.c").write_text("\n".join([
        "#include <stdio.h>", '#include "mli_api.h"', "int main(void) {",
        *(f'printf("%d\\n", {member.name});' for member in members), "return 0; }"]))
    program = link_program(driver, [compile_c(driver / "codes.c", driver,
                                              "-DXYMAC_MLI_RELEASE=11")])

    assert [int(each) for each in run_program(program)[1].split()] == members


def test_programs_that_cannot_be_recorded(driver, capsys):
    (driver / "none.c").write_text("int main(void) { return 0; }\n")
    silent = link_program(driver, [compile_c(driver / "none.c", driver)]).rename(driver / "silent")
    (driver / "fails.c").write_text("int main(void) { return 3; }\n")
    failing = link_program(driver, [compile_c(driver / "fails.c", driver)]).rename(
        driver / "failing")
    (driver / "dies.c").write_text("#include <stdlib.h>\nint main(void) { abort(); }\n")
    dying = link_program(driver, [compile_c(driver / "dies.c", driver)]).rename(driver / "dying")

    for program, message in (
            (dying, "was ended by the signal SIGABRT"),
            (silent, "called no function of MLI: is it linked with xymac_mli_record.c?"),
            (failing, "ended with code 3"),
            (driver / "nowhere", "does not start: No such file or directory"),
            (driver, "does not start: it is a folder"),
            (driver / "none.c", "does not start: Permission denied")):
        with pytest.raises(InputError, match=f"^{re.escape(f'{program} {message}')}$"):
            record_calls(program)
    recorded = link_recorded(driver, build(driver, "mli_changed.c"))
    assert run_program(recorded)[0] == 2  # by itself


@pytest.mark.parametrize(("options", "message"), [
    ([], "Either a network or --calls must be given, not both or none"),
    (["net.npz", "--calls", "program"],
     "Either a network or --calls must be given, not both or none"),
    (["net.npz", "--rounding", "up"], "--rounding needs --calls: a network has that of its layers"),
    (["--calls", "program", "--c"], "--calls goes with -o, --size and --rounding alone")])
def test_options_that_do_not_fit(options, message, tmp_path, capsys):
    assert main(["compile", *options, "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"xymac compile: {message}\n"


#: A call on COUNT elements of 8 bits in place, whose sum is printed.
IN_PLACE = r"""
#include <stdio.h>
#include "mli_api.h"
static int8_t data[COUNT];
int main(void)
{
    mli_tensor x = {data, sizeof data, {COUNT, 0, 0, 0}, 1, MLI_EL_FX_8, {{7}}};
    mli_relu_cfg relu = {MLI_RELU_GEN};
    long index, sum = 0;
    mli_status status;
    for (index = 0; index < COUNT; index++)
        data[index] = (int8_t)(index % 239 - 120);
    (void)relu;
    status = CALL;
    for (index = 0; index < COUNT; index++)
        sum += data[index] * (index % 17);
    printf("%d %ld\n", (int)status, sum);
    return 0;
}
"""


def build_in_place(driver, call, count):
    """The object file of a program that makes one call."""
    (driver / "in_place.c").write_text(IN_PLACE)
    return compile_c(driver / "in_place.c", driver, f"-DCALL={call}", f"-DCOUNT={count}")


def test_tiles_in_place(driver, capfd):
    count   = TINY.x_bytes * 5 // 4
    program = build_in_place(driver, "mli_krn_relu_fx8(&x, &relu, &x)", count)
    recorded = link_recorded(driver, program)
    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 0
    total = sum(max(index % 239 - 120, 0) * (index % 17) for index in range(count))
    assert capfd.readouterr().out.startswith(f"0 {total}\n")

    assert run_program(link_prepared(driver, program, "tiny")) == (0, b"0 %d\n" % total)
    assert (driver / "calls.c").read_text().count("XYMAC_STEP_START") > 1


def test_a_call_without_passes(driver, capfd):
    recorded = link_recorded(driver, build_in_place(driver, "mli_krn_softmax_fx8(&x, &x)", 50000))

    assert main(["compile", "--calls", str(recorded), "-o", str(driver), "--size", "tiny"]) == 2
    assert re.fullmatch(r"xymac compile: Call 0 of mli_krn_softmax_fx8: .*\n",
                        capfd.readouterr().err)


def test_roundings_of_the_library(driver, capfd):
    """The core rounds halves as it was said when the calls were recorded."""
    texts = []
    for rounding in ("convergent", "up"):
        recorded = link_recorded(driver, build(driver, "mli_program.c"))
        assert main(["compile", "--calls", str(recorded), "-o", str(driver / rounding), "--size",
                     "tiny", "--rounding", rounding]) == 0
        texts.append((driver / rounding / "calls.c").read_text())
    shown = capfd.readouterr().out
    program = link_prepared(driver, write_calls(driver, texts[1]), "tiny")

    assert texts[0] != texts[1]
    assert run_program(program)[1].decode() in shown


def write_calls(driver, text):
    """The object file of the program, and its calls in their place."""
    (driver / "calls.c").write_text(text)
    return build(driver, "mli_program.c")


@pytest.mark.parametrize(("told", "message"), [
    ("call mli_krn_relu_fx8 0 0 0 1 2 -1\\nnull\\nnull\\n", "ended with code 3"),
    ("call mli_krn_relu_fx8 0\\n", "A call of the program cannot be read: "),
    ("call mli_krn_relu_fx8 0 0 0 1 2 -1\\nnull\\n", "A call of the program cannot be read: ")])
def test_a_program_that_dies_in_a_call(driver, told, message):
    (driver / "dies.c").write_text(f"""
#include <stdio.h>
#include <stdlib.h>
int main(void)
{{
    FILE *calls = fopen(getenv("XYMAC_CALLS"), "wb");
    fputs("{told}", calls);
    return 3;
}}
""")
    program = link_program(driver, [compile_c(driver / "dies.c", driver)])

    with pytest.raises(InputError, match=message):
        record_calls(program)


def test_a_call_that_has_room_the_second_time(driver):
    call = "y.capacity = 75; mli_krn_conv2d_chw_fx8(&x, &w, &b, &cfg, &y);"
    text = (PROGRAMS / "mli_changed.c").read_text().replace("    printf(", f"    {call} printf(")
    (driver / "second.c").write_text(text.replace("sizeof maps", "5"))
    [made] = record_calls(link_recorded(driver, compile_c(driver / "second.c", driver)))
    assert made.status == 0


def test_reasons_name_codes_as_the_program_does(driver, capfd):
    call = ("{ mli_tensor z = x; z.el_type = MLI_EL_FX_16; "
            "mli_krn_eltwise_add_fx8(&x, &z, &y); }")
    text = (PROGRAMS / "mli_changed.c").read_text().replace("    printf(", f"    {call} printf(")
    (driver / "codes.c").write_text(text)
    record_calls(link_recorded(driver, compile_c(driver / "codes.c", driver)))

    reason = capfd.readouterr().err
    assert "MLI_EL_FX_16" in reason
    assert "mli_element_type" not in reason

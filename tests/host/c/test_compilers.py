# SPDX-License-Identifier: Apache-2.0
"""The C files with every installed compiler and checker, and without a C library."""

import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support.c.objects import compile_once
from tests.support.c.programs import COMMON, PROGRAMS, compile_c, link_program, run_program
from xymac.host.c.sources import DRIVER, MLI

FILES  = sorted(name for name in (*DRIVER, *MLI) if name.endswith(".c"))
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]
#: Files for processors without an operating system.
BARE   = [name for name in FILES if name != "xymac_mli_record.c"]
_ZIG   = [sys.executable, "-m", "ziglang", "cc"]
_TARGETS = {"rv32imc": ("riscv32", "generic_rv32+m+c", "ilp32"),
            "rv64gc": ("riscv64", "generic_rv64+m+a+f+d+c", "lp64d")}


def needs(command):
    """Skip the test unless a command is installed."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")


def compile_all(folder, compiler, names, *options):
    """Compile files one by one; returns the object files."""
    return [compile_once(compiler, [*options, *STRICT], folder / name, folder) for name in names]


def undefined(path):
    """Undefined symbols of an object file."""
    shown = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True).stdout
    return {word for word in shown.split() if word != "U" and not word.startswith(
        ("xymac_", "mli_", "_GLOBAL_OFFSET_TABLE_", "__stack_chk"))}


@pytest.mark.parametrize("release", ["10", "11"])
@pytest.mark.parametrize("command", [["gcc", "-std=c99"], ["gcc", "-std=c17", "-fanalyzer"],
                                     ["g++", "-x", "c++", "-std=c++11"],
                                     ["clang", "-std=c99"]], ids=lambda held: " ".join(held))
def test_hosted(driver, command, release):
    compiler, *options = command
    needs(compiler)
    compile_all(driver, [compiler], FILES, *options, f"-DXYMAC_MLI_RELEASE={release}")


def test_32_bits(driver):
    probe = driver / "probe.c"
    probe.write_text("#include <stdint.h>\nint main(void) { return 0; }\n")
    if subprocess.run(["gcc", "-m32", "-c", probe, "-o", driver / "probe.o"], capture_output=True,
                      check=False).returncode:
        pytest.skip("gcc -m32 has no headers here")
    compile_all(driver, ["gcc"], FILES, "-std=c99", "-m32")


def test_only_two_functions_of_a_c_library(driver):
    """Free of headers and functions but for memcpy and memset."""
    headers = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True,
                             check=True).stdout.strip()
    made = compile_all(driver, ["gcc"], BARE, "-std=c99", "-ffreestanding", "-nostdinc", "-isystem",
                       headers)

    assert set().union(*map(undefined, made)) == {"memcpy", "memset"}


@pytest.mark.parametrize("target", _TARGETS)
def test_risc_v(driver, target):
    """The GCC of a distribution where it is installed, else the compiler of the wheel ziglang."""
    machine, cpu, abi = _TARGETS[target]
    if shutil.which("riscv64-unknown-elf-gcc"):
        compiler, options = ["riscv64-unknown-elf-gcc"], [f"-march={target}", f"-mabi={abi}"]
    elif find_spec("ziglang"):
        compiler = _ZIG
        options  = ["-target", f"{machine}-freestanding", f"-mcpu={cpu}", "-nostdlibinc"]
    else:
        pytest.skip("neither riscv64-unknown-elf-gcc nor ziglang is installed")
    compile_all(driver, compiler, BARE, *options, "-std=c99", "-ffreestanding")


def test_sanitizers(driver):
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    for name in ("mli_example.c", "no_core.c"):
        text = (PROGRAMS / name).read_text() if name != "no_core.c" else NO_CORE
        (driver / name).write_text(text)
    names   = ("mli_example.c", "no_core.c", *COMMON, "xymac_mli_run.c", *(
        name for name in DRIVER if name.endswith(".c")))
    program = link_program(driver, [compile_c(driver / name, driver, *options) for name in names],
                           *options)

    code, shown = run_program(program)
    assert (code, b"status 6" in shown) == (0, True)


@pytest.mark.long  # minutes
def test_cppcheck(driver):
    needs("cppcheck")
    done = subprocess.run(["cppcheck", "--error-exitcode=1", "--enable=warning,portability", "-I.",
                           "--suppress=missingInclude", *FILES], cwd=driver, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


#: No call is prepared, and the core cannot be reached.
NO_CORE = """
#include "xymac_mli_run.h"
const xymac_mli_prepared xymac_mli_calls[1] = {{0}};
const uint32_t xymac_mli_call_count = 0;
int xymac_bus_open(xymac_core *core) { (void)core; return 1; }
"""

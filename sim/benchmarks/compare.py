# SPDX-License-Identifier: Apache-2.0
"""Simulated cycles per second of two source trees, measured in turns.

``python -m xymac.sim.benchmarks.compare OTHER --size base`` compares the tree in the folder OTHER
with this tree. Each tree compiles its own core with a profile and runs it in a separate process
with all multipliers busy. The trees alternate, so other load affects both; the ratio is the median
over all turns, by processor time.
"""

import argparse
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from xymac.hdl.config import SIZES
from xymac.host.errors import InputError

__all__ = ["Tree", "compare"]

_HERE  = Path(__file__).resolve().parents[2]
_TURNS = 9
_TURN  = 1.0  #: Processor time per turn, s.
# Program of a tree's process; it uses only names that older trees also have.
_RUN = """
import sys, time
from xymac.hdl.config import find_size
from xymac.hdl.isa import Access, Pass
from xymac.sim.rtl.device import RtlDevice
config = find_size(sys.argv[1])
line   = Access(0, 0, 4 * config.x_rows - 1, taps=(0, 0, 1))
busy   = Pass(x=line, y=Access(0, 0, config.y_rows - 1, taps=(0, 0, 1)),
              z=Access(0, 0, 4 * config.x_rows - 1), outer=(1000, 1000, 1000), taps=(16, 1, 64),
              last=True)
with RtlDevice(config) as device:
    device.load_program([busy])
    device.start()
    print("ready", flush=True)
    for line in sys.stdin:
        begin, cycles = time.process_time(), 0
        while (taken := time.process_time() - begin) < float(line):
            device.harness.run(2000)
            cycles += 2000
        print("ended" if device.harness.irq else cycles / taken, flush=True)
"""


class Tree:
    """A source tree's core in its own process, a context manager.

    Parameters
    ----------
    folder : Path, the tree
    size : str

    InputError if there is no tree, or its core does not run.
    """

    def __init__(self, folder, size):
        if (folder / "xymac" / "__init__.py").is_file():
            program = _RUN
        elif (folder / "xymac.py").is_file():  # trees of version 0.2.0, without the namespace
            program = _RUN.replace("xymac.", "")
        else:
            raise InputError(f"There is no source tree of xymac in {folder}: xymac/__init__.py is "
                             "missing")
        self._folder  = folder
        environment   = {name: value for name, value in os.environ.items()
                         if name != "XYMAC_PROFILE"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, size], cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=environment | {"PYTHONPATH": str(folder)})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def wait(self):
        """Return when the core has been compiled and runs."""
        self._read()

    def rate(self, seconds):
        """Simulated cycles per second of processor time, measured for ``seconds``."""
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        return float(self._read())

    def _read(self):
        line = self._process.stdout.readline().strip()
        if line in ("", "ended"):
            raise InputError(f"The core of {self._folder} does not run as long as it should")
        return line


def compare(folders, size, *, turns=_TURNS, seconds=_TURN):
    """Rates for two trees, and the ratio of the second to the first: medians over all turns."""
    with ExitStack() as stack:
        trees = [stack.enter_context(Tree(folder, size)) for folder in folders]
        for tree in trees:
            tree.wait()
        rates = [[tree.rate(seconds) for tree in trees] for _ in range(turns)]
    before, after = (statistics.median(column) for column in zip(*rates, strict=True))
    return before, after, statistics.median(second / first for first, second in rates)


def _main(words):
    parser = argparse.ArgumentParser(prog="python -m xymac.sim.benchmarks.compare",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="OTHER", help="folder of the other tree")
    parser.add_argument("--size", choices=tuple(SIZES), default="base", help="(default: base)")
    options = parser.parse_args(words)
    try:
        before, after, ratio = compare([options.other.resolve(), _HERE], options.size)
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    sys.stdout.write(f"{options.size}, simulated cycles a second: {before:,.0f} in "
                     f"{options.other}, {after:,.0f} here, {ratio:.2f} x\n")


if __name__ == "__main__":
    _main(sys.argv[1:])

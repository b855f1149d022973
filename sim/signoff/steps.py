# SPDX-License-Identifier: Apache-2.0
"""The sign-off cut, within an hour on two cores: commands, and their evidence."""

import shlex
import subprocess
import sys
import time
from dataclasses import dataclass

from xymac.host.cluster import ROOT

from .evidence import save

__all__ = ["STEPS", "Step", "run_step"]

_SEED     = "{seed}"
_COMMANDS = {"xymac.host.cli": "xymac"}  # modules that are commands of another name


@dataclass(frozen=True)
class Step:
    """A command in the cut.

    Parameters
    ----------
    name : str, evidence name
    words : tuple of str, a Python module and its arguments; ``{seed}`` becomes the seed
    saves : bool, whether the command saves its evidence itself, else its exit code is saved
    """

    name:  str
    words: tuple
    saves: bool = False

    def line(self, seed):
        """The process's words for a seed (int)."""
        return [sys.executable, "-m", *(word.replace(_SEED, str(seed)) for word in self.words)]


def _tests(*words):
    return ("pytest", "-q", "-p", "no:cacheprovider", "--seed", _SEED, *words)


#: All steps, short ones first.
STEPS = (
    Step("lint", ("ruff", "check", ".")),
    Step("smoke", ("xymac.host.cli", "check", "tests/vectors", "--dialect", "mli-1", "--match",
                   "mli_krn_relu_fx16*", "--backend", "rtl", "--size", "tiny")),
    Step("registers", _tests("tests/rtl/host", "tests/rtl/test_host.py", "-k", "tiny")),
    Step("interfaces", _tests("tests/hdl/test_axi.py", "tests/hdl/test_axi4.py",
                              "tests/hdl/test_dma.py")),
    Step("power-up", _tests("-m", "long", "tests/rtl/test_power_up.py")),
    Step("second-simulator", _tests("-m", "long", "tests/sim/test_second_simulator.py")),
    Step("robustness", ("xymac.host.cli", "regress", "--only", "robust", "--match",
                        "*of the link* 0", "--seed", _SEED), saves=True),
    Step("formal", ("xymac.sim.formal",), saves=True),
    Step("coverage", ("xymac.sim.coverage", "--quick"), saves=True),
    Step("mutants-hardware", ("xymac.sim.mutants", "hardware", "--size", "tiny", "--sample", "150",
                              "--seed", _SEED), saves=True),
    Step("mutants-software", ("xymac.sim.mutants.software", "--sample", "60", "--seed", _SEED,
                              "--save", "mutants-software"), saves=True),
)


def run_step(step, seed):
    """Run a Step; returns its exit code."""
    begin = time.monotonic()
    words = step.line(seed)
    code  = subprocess.run(words, cwd=ROOT, check=False).returncode
    if not step.saves:
        save(step.name, _shown(words[2:]), {
            "exit code": code, "seconds": round(time.monotonic() - begin)}, seed=seed)
    return code


def _shown(words):
    """Shell command for a module and its arguments."""
    module, *arguments = words
    return shlex.join([_COMMANDS.get(module, module), *arguments])

# SPDX-License-Identifier: Apache-2.0
"""The sign-off cut, within an hour on two cores: commands, and their evidence."""

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from xymac.host.cluster import ROOT

from .evidence import digest_places, save
from .places import PLACES
from .reports import read_report

__all__ = ["STEPS", "Step", "run_step"]

_MINUTE   = 60  # seconds
_SEED     = "{seed}"
#: Modules that are commands.
_COMMANDS = {"xymac.host.cli": ("xymac",), "ruff": ("ruff",), "pytest": ("pytest",)}

#: Options for a report, by module.
_REPORTS  = {"xymac.host.cli": "--json", "pytest": "--junit-xml"}


@dataclass(frozen=True)
class Step:
    """A command in the cut.

    Parameters
    ----------
    name : str, evidence name
    seconds : int, about its time on two cores, with simulators built before
    words : tuple of str, a Python module and its arguments; ``{seed}`` becomes the seed
    saves : bool, whether the command saves its evidence itself, else its exit code and
        its report are saved
    program : str, a program without which the step does not run, or ""
    beside : bool, whether the step takes a single core, and runs beside other such steps
    """

    name:    str
    seconds: int
    words:   tuple
    saves:   bool = False
    program: str = ""
    beside:  bool = False

    @property
    def can_run(self):
        """Whether its program is installed."""
        return not self.program or shutil.which(self.program) is not None

    @property
    def duration(self):
        """About its time, a text."""
        if self.seconds < _MINUTE:
            return f"{self.seconds} s"
        return f"{round(self.seconds / _MINUTE)} min"

    def shown(self, seed):
        """Shell command for a seed, an int or a text."""
        module, *arguments = (word.replace(_SEED, str(seed)) for word in self.words)
        return shlex.join([*_COMMANDS.get(module, ("python", "-m", module)), *arguments])

    def line(self, seed):
        """The process's words for a seed (int)."""
        return [sys.executable, "-m", *(word.replace(_SEED, str(seed)) for word in self.words)]


def _tests(*words):
    return ("pytest", "-q", "-p", "no:cacheprovider", "--seed", _SEED, *words)


#: All steps, short ones first.
STEPS = (
    Step("lint", 1, ("ruff", "check", ".")),
    Step("smoke", 20, ("xymac.host.cli", "check", "tests/vectors", "--dialect", "mli-1", "--match",
                       "mli_krn_relu_fx16*", "--backend", "rtl", "--size", "tiny")),
    Step("unknown-values", 20, _tests("-m", "", "tests/boards/test_simulators.py"),
         program="iverilog"),
    Step("registers", 25, _tests("tests/rtl/host", "tests/rtl/test_host.py", "-k", "tiny")),
    Step("robust-bursts", 30, ("xymac.host.cli", "regress", "--only", "robust", "--match",
                               "*of the link* 0", "--seed", _SEED), saves=True),
    Step("firmware", 90, _tests("-m", "", "tests/sim/test_soc.py")),
    Step("board-netlist", 60, _tests("-m", "gates", "tests/sim/test_netlist.py")),
    Step("interfaces", 100, _tests("tests/hdl/test_axi.py", "tests/hdl/test_axi4.py",
                                  "tests/hdl/test_dma.py")),
    Step("power-up", 195, _tests("-m", "long", "tests/rtl/test_power_up.py")),
    Step("second-simulator", 300, _tests("-m", "long", "tests/sim/test_second_simulator.py")),
    Step("formal", 300, ("xymac.sim.formal",), saves=True),
    Step("coverage", 600, ("xymac.sim.coverage", "--quick"), saves=True),
    Step("mutants-hardware", 1500, (
        "xymac.sim.mutants", "hardware", "--size", "tiny", "--sample", "60", "--seed", _SEED),
         saves=True, beside=True),
    Step("mutants-software", 1200, (
        "xymac.sim.mutants.software", "--sample", "60", "--seed", _SEED, "--save",
        "mutants-software"), saves=True, beside=True),
)


def run_step(step, seed):
    """Run a Step; returns its exit code."""
    begin  = time.monotonic()
    places = digest_places(PLACES[step.name])
    option = None if step.saves else _REPORTS.get(step.words[0])
    with tempfile.TemporaryDirectory(prefix="xymac-") as folder:
        report = Path(folder) / "report"
        extra  = [option, str(report)] if option else []
        code   = subprocess.run([*step.line(seed), *extra], cwd=ROOT, check=False).returncode
        counts = read_report(report)[0] if option else {}
    if not step.saves:
        figures = {"exit code": code, **counts, "seconds": round(time.monotonic() - begin)}
        save(step.name, step.shown(seed), figures, seed=seed, places=places)
    return code

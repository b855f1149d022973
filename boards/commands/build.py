# SPDX-License-Identifier: Apache-2.0
"""``xymac build``: make a board's bitstream with yosys and nextpnr."""

import re
from contextlib import contextmanager
from pathlib import Path

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from xymac.boards.attempt import (
    JOBS,
    Target,
    attempt,
    attempt_all,
    describe_here,
    flow_of,
    synthesise,
)
from xymac.boards.board import all_boards, find_board
from xymac.boards.design import check_fit
from xymac.boards.litex.flow import SYSTEMS, check_system_fit, find_system
from xymac.boards.loading import load_lines, next_steps
from xymac.boards.tools.report import resource_lines
from xymac.host.cli.command import Command, add_size, positive, size_name
from xymac.host.cluster import add_cluster, open_pool
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file

from .report import REPORT, write_report
from .soc_program import add_program, build_program, check_program

__all__ = ["COMMAND", "build"]

_STEPS = (
    (re.compile(r"Preparing to run (\S+)\."), "compiling {} for this computer, once: up to 3 min"),
    (re.compile(r"Info: iter=(\d+) steplen"), "placing, step {}"),
    (re.compile(r"at iteration #(\d+): temp"), "improving the placement, round {}"),
    (re.compile(r"^Info: +\d+ \|[ \d]+\|[ \d]+\| +(\d+)\|"), "routing, {} arcs left"),
)


def step_of(line):
    """Describe a tool's current step from an output line; None for other lines."""
    for pattern, text in _STEPS:
        if match := pattern.search(line):
            return text.format(*match.groups())
    return None


def _add_arguments(parser):
    parser.add_argument("--board", metavar="NAME", required=True,
                        help=f"one of {', '.join(all_boards())}")
    add_size(parser, "that of the board")
    parser.add_argument("--soc", action="store_true",
                        help="a system with a RISC-V processor and SDRAM (LiteX; see docs/soc.md) "
                             f"in place of the link to a host, of {', '.join(SYSTEMS)}")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path,
                        help="folder to write to; made if it is not there (default: build/NAME)")
    parser.add_argument("--seed", metavar="N", type=positive, default=1,
                        help="of placement (default: 1)")
    parser.add_argument("--seeds", metavar="N", type=positive, default=1,
                        help="places and routes, with this seed and those that follow; the best is "
                             "taken if it meets the clock (default: 1)")
    add_program(parser)
    add_cluster(parser)


@contextmanager
def _reporting(console):
    """Function that shows the next step, with the time since its last call."""
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
                  console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("")

        def step(description):
            progress.update(task, description=description)
            if not console.is_terminal:
                console.print(description)
        yield step, lambda line: (doing := step_of(line)) and progress.update(
            task, description=doing)


def build(target, seed, folder, *, step=lambda text: None, watch=lambda line: None):
    """Make a board Target's bitstream in ``folder``.

    Parameters
    ----------
    target : Target
    seed : int
    folder : Path, created if missing. On success it receives the bitstream (``.bit`` or ``.bin``),
        the constraints (``.lpf`` or ``.pcf``), the RTLIL ``.il``, the summary ``.txt`` and the
        folder ``report``, see ``write_report``; on failure no file is written
    step : called with a text as each step starts
    watch : called with every line printed by a tool

    Returns (bitstream path, Fit). InputError if the core does not fit the FPGA, the design misses
    the board's clock, or a tool fails.
    """
    _check(target, folder)
    step("making the Verilog with LiteX" if target.soc else "making the RTLIL")
    flow_of(target)
    step("synthesis with yosys")
    synthesise(target, watch)
    step("placing and routing with nextpnr, and packing the bitstream")
    return write_best(target, {seed: attempt(target, seed, _clock(target), watch)}, folder)


def build_best(target, seeds, first, folder, pool, report):
    """Build with ``seeds`` seeds from ``first`` on in a pool, and keep the fastest result.

    ``pool`` is from ``open_pool``; ``report`` is called with a line after each seed.
    """
    _check(target, folder)
    return write_best(target, attempt_all(pool, target, seeds, first=first, clock=_clock(target),
                                          report=report), folder)


def _check(target, folder):
    """Make the folder; InputError if a Target's design does not fit, or for the folder."""
    board = find_board(target.board)
    (check_system_fit if target.soc else check_fit)(board, target.size)
    make_folder(folder)


def _clock(target):
    """A board design's clock, MHz."""
    board = find_board(target.board)
    return find_system(board).clock if target.soc else board.clock


def write_best(target, attempts, folder):
    """Write the fastest Attempt's files; returns (bitstream path, Fit).

    ``attempts`` is a dict by seed. InputError if the fastest Attempt misses the board's clock.
    """
    board  = find_board(target.board)
    routed = {seed: each for seed, each in attempts.items() if each.fit}
    if not routed:
        raise InputError(next(iter(attempts.values())).trouble)
    seed = max(routed, key=lambda each: routed[each].fit.fmax)
    best = routed[seed].fit
    clock = _clock(target)
    if best.fmax < clock:
        which = f"seed {seed}" if len(attempts) == 1 else f"the best of {len(attempts)} seeds"
        raise InputError(f"{board.name} needs {clock:g} MHz, {which} reaches "
                         f"{best.fmax:.1f} MHz: another seed may do")
    flow      = flow_of(target)
    family    = flow.part.family
    bitstream = folder / f"{board.name}.{family.suffix}"
    write_file(bitstream, routed[seed].bitstream)
    write_file(bitstream.with_suffix(f".{family.pins}"), flow.pins)
    write_file(bitstream.with_suffix(".il"), flow.source)
    write_file(bitstream.with_suffix(".txt"),
               "\n".join(report_lines(target, clock, seed, best)) + "\n")
    write_report(target, routed[seed], folder)
    return bitstream, best


def report_lines(target, clock, seed, fit):
    """Report lines: clock, resources, critical path."""
    processor = ", with a processor" if target.soc else ""
    yield f"{target.board}{processor}, size {target.size}, seed {seed}"
    yield f"clock {clock:g} MHz, the routed design reaches {fit.fmax:.1f} MHz"
    yield from resource_lines(fit)
    yield f"critical path, {1000 / fit.fmax:.2f} ns: block, logic ns, routing ns"
    for part in fit.path:
        yield f"  {part.block}  {part.logic:.2f}  {part.routing:.2f}"


def _execute(options, console):
    board  = find_board(options.board)
    size   = (find_system(board) if options.soc else board).size
    target = Target(options.size or size_name(size), board.name, soc=options.soc)
    folder = options.output or Path("build") / f"{board.name}{'-soc' * options.soc}"
    check_program(options)
    if options.network is not None:
        check_system_fit(board, target.size)
        return build_program(board, target.size, options, folder, console)
    if options.seeds == 1 and options.cluster is None:
        with _reporting(console) as (step, watch):
            bitstream, _ = build(target, options.seed, folder, step=step, watch=watch)
    else:
        with open_pool(options.cluster, describe_here, JOBS) as pool:
            bitstream, _ = build_best(
                target, options.seeds, options.seed, folder, pool,
                lambda line: console.print(line, markup=False, soft_wrap=True))
    console.print(bitstream.with_suffix(".txt").read_text(encoding="utf-8"), end="", markup=False,
                  soft_wrap=True)
    console.print(f"report: {folder / REPORT}", markup=False, soft_wrap=True)
    steps = load_lines(board, bitstream) if target.soc else next_steps(board, target.size,
                                                                       bitstream)
    for line in steps:
        console.print(line, markup=False, soft_wrap=True)
    return 0


COMMAND = Command(
    __doc__,
    example="xymac build --board ulx3s-85f",
    add_arguments=_add_arguments, execute=_execute)

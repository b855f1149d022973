"""``xymac build``: make the bitstream of a board with yosys and nextpnr."""

import re
from contextlib import contextmanager
from pathlib import Path

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from boards.board import all_boards, find_board
from boards.design import check_fit, make_flow
from boards.tools.flow import make_folder
from boards.tools.report import read_report, resource_lines
from host.cli.command import Command, add_size, positive
from host.errors import InputError
from host.files import write_file

__all__ = ["COMMAND", "build"]

_STEPS = (
    (re.compile(r"Preparing to run (\S+)\."), "compiling {} for this computer, once: up to 3 min"),
    (re.compile(r"Info: iter=(\d+) steplen"), "placing, step {}"),
    (re.compile(r"at iteration #(\d+): temp"), "improving the placement, round {}"),
    (re.compile(r"^Info: +\d+ \|[ \d]+\|[ \d]+\| +(\d+)\|"), "routing, {} arcs left"),
)


def step_of(line):
    """What a tool is doing, of a line that it prints; None if it does not say."""
    for pattern, text in _STEPS:
        if match := pattern.search(line):
            return text.format(*match.groups())
    return None


def _add_arguments(parser):
    parser.add_argument("--board", metavar="NAME", required=True,
                        help=f"one of {', '.join(all_boards())}")
    add_size(parser, "that of the board")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path,
                        help="folder to write to; made if it is not there (default: build/NAME)")
    parser.add_argument("--seed", metavar="N", type=positive, default=1,
                        help="of placement (default: 1)")


@contextmanager
def _reporting(console):
    """A function that shows what is being done, with the time since it was last called."""
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
                  console=console, transient=True) as progress:
        task = progress.add_task("")

        def step(description):
            progress.update(task, description=description)
            if not console.is_terminal:
                console.print(description)
        yield step, lambda line: (doing := step_of(line)) and progress.update(
            task, description=doing)


def build(board, size, seed, folder, *, step=lambda text: None, watch=lambda line: None):
    """Make the bitstream of a board in ``folder``.

    Parameters
    ----------
    board : Board
    size : str, of the core
    seed : int
    folder : Path, made if it is not there; it has the bitstream (``.bit`` or ``.bin``), the
        constraints (``.lpf`` or ``.pcf``), the RTLIL ``.il`` and the report ``.txt`` when all is
        well, and nothing new if not
    step : called with a text when something is begun
    watch : called with every line that a tool prints

    Returns the path of the bitstream, and the Fit. InputError if the core does not fit the FPGA,
    the design does not meet the clock of the board, or a tool fails.
    """
    check_fit(board, size)
    make_folder(folder)
    step("making the RTLIL")
    flow = make_flow(board, size)
    step("synthesis with yosys")
    flow.synthesise(watch)
    step("placing and routing with nextpnr")
    fit = read_report(flow.route(seed, watch), flow.blocks, flow.part.family.resources)
    if fit.fmax < board.clock:
        raise InputError(f"{board.name} needs {board.clock:g} MHz, seed {seed} reaches "
                           f"{fit.fmax:.1f} MHz: another seed may do")
    step("packing the bitstream")
    family    = flow.part.family
    bitstream = folder / f"{board.name}.{family.suffix}"
    write_file(bitstream, flow.pack(seed, watch))
    write_file(bitstream.with_suffix(f".{family.pins}"), flow.pins)
    write_file(bitstream.with_suffix(".il"), flow.source)
    write_file(bitstream.with_suffix(".txt"),
               "\n".join(report_lines(board, size, seed, fit)) + "\n")
    return bitstream, fit


def report_lines(board, size, seed, fit):
    """Lines of the report: clock, resources, critical path."""
    yield f"{board.name}, size {size}, seed {seed}"
    yield f"clock {board.clock:g} MHz, the routed design reaches {fit.fmax:.1f} MHz"
    yield from resource_lines(fit)
    yield f"critical path, {1000 / fit.fmax:.2f} ns: block, logic ns, routing ns"
    for part in fit.path:
        yield f"  {part.block}  {part.logic:.2f}  {part.routing:.2f}"


def _execute(options, console):
    board  = find_board(options.board)
    size   = options.size or board.size
    folder = options.output or Path("build") / board.name
    with _reporting(console) as (step, watch):
        bitstream, fit = build(board, size, options.seed, folder, step=step, watch=watch)
    for line in report_lines(board, size, options.seed, fit):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"{bitstream}, {bitstream.stat().st_size:,} bytes; load it with", markup=False)
    console.print(f"  openFPGALoader --board {board.load} {bitstream}", markup=False,
                  soft_wrap=True)
    return 0


COMMAND = Command(
    __doc__,
    example="xymac build --board ulx3s-85f",
    add_arguments=_add_arguments, execute=_execute)

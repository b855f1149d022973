"""``xymac fit``: synthesise, place and route a core or a board with several seeds."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import median

from amaranth import ClockDomain, ClockSignal, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from boards.board import Board, all_boards, find_board
from boards.design import check_device_fit, check_fit, make_flow, part_of
from boards.tools.flow import Flow, Part, find_tools
from boards.tools.report import read_report
from boards.tools.rtlil import rtlil_of
from hdl.config import find_size
from hdl.core.core import Core
from host.cli.command import Command, add_markdown, add_size, positive
from host.errors import InputError

__all__ = ["COMMAND", "DEVICES", "core_flow", "fit", "target_of"]

CLOCK  = "clk_in"  #: The port of the top that is the clock.
# Pads lie where they like, but for the clock: one that comes in anywhere else may not reach the
# global network. nextpnr's own --out-of-context keeps it off that (0.11.1 routes it through the
# fabric with 4 ns of skew).
DEVICES = {
    "ecp5-25k": (Part("LFE5U-25F", ("--25k", "--package", "CABGA381", "--speed", "6")), "G2"),
    "ecp5-85k": (Part("LFE5U-85F", ("--85k", "--package", "CABGA756", "--speed", "6")), "P5"),
}
SEEDS  = 5
JOBS   = 2      #: Places and routes at the same time.
#: Clock that placement and routing aim for by the ways of a core, MHz: a little more than it
#: should reach.
TARGETS = {1: 108.0, 2: 108.0, 4: 100.0}


class _PowerOn(wiring.Component):
    """A core that starts from the values of the bitstream: no reset is routed to every register.

    Members
    -------
    Those of the core, and ``CLOCK`` : In(1)
    """

    def __init__(self, core):
        self._core = core
        super().__init__({**core.signature.members, CLOCK: In(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.submodules.core = core = self._core
        wiring.connect(m, wiring.flipped(self.request), core.request)
        wiring.connect(m, core.response, wiring.flipped(self.response))
        m.d.comb += [ClockSignal().eq(getattr(self, CLOCK)), self.irq.eq(core.irq),
                     self.state.eq(core.state)]
        return m


@dataclass(frozen=True)
class _Job:
    """What is put into an FPGA: its Flow, texts that name it, and the Board if it is for one."""

    flow:  Flow
    label: str
    title: str
    size:  str
    board: Board | None = None


def _add_arguments(parser):
    add_size(parser, "base", fill="base", every=False)
    parser.add_argument("--board", metavar="NAME", action="append", default=[],
                        help=f"the whole design of a board in place of a core alone, as often as "
                             f"you like: {', '.join(all_boards())}")
    parser.add_argument("--device", choices=tuple(DEVICES), default="ecp5-85k",
                        help="FPGA (default: ecp5-85k)")
    parser.add_argument("--seeds", metavar="N", type=positive, default=SEEDS,
                        help=f"places and routes, each with its own seed (default: {SEEDS})")
    parser.add_argument("--first", metavar="N", type=positive, default=1,
                        help="the first of these seeds (default: 1)")
    parser.add_argument("--freq", metavar="MHZ", type=positive,
                        help="clock that placement and routing aim for, MHz (default: "
                             + ", ".join(f"{clock:g} with {ways} way{'s' * (ways > 1)}"
                                         for ways, clock in TARGETS.items())
                             + "; on a board a little more than its clock)")
    add_markdown(parser, "the boards")


def fit(flow, seeds, *, first=1, report=lambda message: None):
    """Run ``flow`` with as many ``seeds`` from ``first`` on; returns ``{seed: Fit}``.

    ``report`` is called with a line after synthesis and after each seed.
    """
    flow.synthesise()
    report("synthesis done")
    fits = {}
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = {pool.submit(flow.route, seed): seed for seed in range(first, first + seeds)}
        for job in as_completed(jobs):
            fits[jobs[job]] = read_report(job.result(), flow.blocks, flow.part.family.resources)
            report(f"seed {jobs[job]}: {fits[jobs[job]].fmax:.1f} MHz")
    return dict(sorted(fits.items()))


def _resources(result):
    table = Table(box=None)
    for column, justify in (("resource", "left"), ("used", "right"), ("of", "right"),
                            ("share", "right")):
        table.add_column(column, justify=justify)
    for name, used in result.used.items():
        available = result.available[name]
        table.add_row(name, f"{used:,}", f"{available:,}", f"{used / available:.0%}")
    return table


def _path(seed, result):
    table = Table(box=None, title=f"Critical path of seed {seed}, {1000 / result.fmax:.2f} ns",
                  title_justify="left")
    for column, justify in (("block", "left"), ("logic ns", "right"), ("routing ns", "right")):
        table.add_column(column, justify=justify)
    for part in result.path:
        table.add_row(part.block, f"{part.logic:.2f}", f"{part.routing:.2f}")
    return table


def _check_job(name, options):
    """InputError for what can be known not to work before anything is made."""
    if name:
        board = find_board(name)
        check_fit(board, board.size)
        family = part_of(board.platform()).family
    else:
        part, _ = DEVICES[options.device]
        check_device_fit(part.name, options.size, part.name)
        family = part.family
    find_tools(family)


def _core_job(options):
    """A core alone, out of context."""
    config = find_size(options.size)
    flow   = core_flow(config, options.device, options.freq)
    return _Job(flow, f"{config.name} into {options.device}",
                f"{config.name} in {flow.part.name}, speed 6, out of context", config.name)


def core_flow(config, device, freq=None):
    """The Flow that puts the core of a CoreConfig alone, out of context, into one of ``DEVICES``.

    ``freq`` is the clock to aim for, MHz; ``target_of`` the size if None.
    """
    part, pin = DEVICES[device]
    top = f"xymac_{config.name}"
    return Flow(rtlil_of(_PowerOn(Core(config, vendor="ecp5")), top), top=top, ways=config.ways,
                part=part, pins=f'LOCATE COMP "{CLOCK}" SITE "{pin}";\n',
                options=("--lpf-allow-unconstrained", "--freq",
                         f"{float(freq or target_of(config))}"))


def target_of(config):
    """Clock that a core of a CoreConfig should reach nearly, MHz; see ``TARGETS``."""
    return TARGETS[config.ways]


def _board_job(name):
    board = find_board(name)
    return _Job(make_flow(board, board.size), name,
                f"{name} with {board.size}, whole design, clock {board.clock:g} MHz", board.size,
                board)


def _run(job, seeds, first, console):
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                  TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(job.label, total=seeds + 1)

        def step(message):
            progress.console.print(message)
            progress.advance(task)

        return fit(job.flow, seeds, first=first, report=step)


def _print(job, fits, console):
    worst = min(fits, key=lambda seed: fits[seed].fmax)
    console.print(f"{job.title}, {len(fits)} seed{'s' * (len(fits) > 1)}")
    console.print(_resources(fits[worst]))
    console.print(_path(worst, fits[worst]))
    speeds = [result.fmax for result in fits.values()]
    console.print(f"worst {min(speeds):.1f} MHz, median {median(speeds):.1f} MHz")


def _row(job, fits):
    """The row of a board in the table of ``_markdown``."""
    worst  = min(fits.values(), key=lambda result: result.fmax)
    speeds = [result.fmax for result in fits.values()]
    minutes, seconds = divmod(round(median(map(job.flow.seconds, fits))), 60)
    cycle    = find_size(job.size).products
    products = cycle * job.board.clock
    return (job.board.name, job.flow.part.name, job.size,
            *_columns(worst),
            f"{job.board.clock:g}", f"{min(speeds):.1f}", f"{median(speeds):.1f}",
            f"{len(fits)}", f"{products:,.0f} M/s", f"{minutes} min {seconds:02} s")


def _columns(result):
    """Cells of a row: logic, registers, multipliers, block RAM."""
    shares = {name: f"{used:,} of {result.available[name]:,}"
              for name, used in result.used.items()}
    if "logic cell" in shares:  # each a LUT and a register
        return (shares["logic cell"], "in these", shares["SB_MAC16"],
                f"{shares['EBR']}, SPRAM {shares['SPRAM']}")
    return tuple(shares.values())


def _markdown(rows):
    """Lines of a table of boards."""
    heads = ("board", "device", "size", "LUT", "FF", "DSP", "block RAM", "clock MHz",
             "reached, worst", "median", "seeds", "products", "time to build")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _execute(options, console):
    if options.markdown and not options.board:
        raise InputError("A table needs at least one --board")
    for name in options.board or [None]:
        _check_job(name, options)
    rows = []
    for name in options.board or [None]:
        with console.status("Generating RTLIL"):
            job = _board_job(name) if name else _core_job(options)
        fits = _run(job, options.seeds, options.first, console)
        if options.markdown:
            rows.append(_row(job, fits))
        else:
            _print(job, fits, console)
    if options.markdown:
        console.print("\n".join(_markdown(rows)), markup=False, soft_wrap=True)
    return 0


COMMAND = Command(
    __doc__,
    example="xymac fit --size small --device ecp5-25k --seeds 5",
    add_arguments=_add_arguments, execute=_execute)

"""``xymac fit``: how large the core is in an FPGA, how fast, and what limits it."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from statistics import median

from amaranth import ClockDomain, ClockSignal, Module
from amaranth.back import verilog
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hdl.config import SIZES
from hdl.core import Core
from host.command import Command, add_size, positive

from .flow import Flow, Part
from .timing import read_report

__all__ = ["COMMAND", "fit"]

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
#: Clock that placement and routing aim for, MHz: a little more than each size should reach.
TARGETS = {"tiny": 108.0, "small": 108.0, "base": 100.0}


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


def _add_arguments(parser):
    add_size(parser)
    parser.add_argument("--device", choices=tuple(DEVICES), default="ecp5-85k",
                        help="FPGA (default: ecp5-85k)")
    parser.add_argument("--seeds", metavar="N", type=positive, default=SEEDS,
                        help=f"places and routes, each with its own seed (default: {SEEDS})")
    parser.add_argument("--freq", metavar="MHZ", type=positive,
                        help="clock that placement and routing aim for, MHz; routing takes long "
                             "where it is out of reach (default: "
                             + ", ".join(f"{size} {clock:g}" for size, clock in TARGETS.items())
                             + ")")


def fit(flow, seeds, *, report=lambda message: None):
    """Run ``flow`` with seeds 1 .. ``seeds``; returns ``{seed: Fit}``.

    ``report`` is called with a line after synthesis and after each seed.
    """
    flow.synthesise()
    report("synthesis done")
    found = {}
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = {pool.submit(flow.route, seed): seed for seed in range(1, seeds + 1)}
        for job in as_completed(jobs):
            found[jobs[job]] = read_report(job.result(), flow.blocks)
            report(f"seed {jobs[job]}: {found[jobs[job]].fmax:.1f} MHz")
    return dict(sorted(found.items()))


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


def _execute(options, console):
    (part, pin), config = DEVICES[options.device], SIZES[options.size]
    top = f"xymac_{config.name}"
    with console.status("Generating Verilog"):
        source = verilog.convert(_PowerOn(Core(config, vendor="ecp5")), name=top, emit_src=False)
    flow = Flow(source, top=top, ways=config.ways, part=part,
                pins=f'LOCATE COMP "{CLOCK}" SITE "{pin}";\n',
                options=("--lpf-allow-unconstrained", "--freq",
                         f"{float(options.freq or TARGETS[config.name])}"))
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                  TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(f"{config.name} into {options.device}", total=options.seeds + 1)

        def step(message):
            progress.console.print(message)
            progress.advance(task)

        found = fit(flow, options.seeds, report=step)
    worst = min(found, key=lambda seed: found[seed].fmax)
    console.print(f"{config.name} in {part.name}, speed 6, out of context, {len(found)} "
                  f"seed{'s' * (len(found) > 1)}")
    console.print(_resources(found[worst]))
    console.print(_path(worst, found[worst]))
    speeds = [result.fmax for result in found.values()]
    console.print(f"worst {min(speeds):.1f} MHz, median {median(speeds):.1f} MHz")
    return 0


COMMAND = Command(
    summary="synthesise, place and route the core with yosys and nextpnr-ecp5",
    example="xymac fit --size small --device ecp5-25k --seeds 5",
    add_arguments=_add_arguments, execute=_execute)

"""``xymac fit``: synthesise, place and route a core or a board with several seeds."""

from statistics import median

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from boards.alone import DEVICES, TARGETS
from boards.attempt import JOBS, Target, attempt_all, describe_here
from boards.board import all_boards, find_board
from boards.design import check_device_fit, check_fit, part_of
from boards.tools.flow import find_tools
from hdl.config import find_size
from host.cli.command import Command, add_markdown, add_size, positive
from host.cluster import add_cluster, open_pool
from host.errors import InputError

__all__ = ["COMMAND"]

SEEDS = 5


def _add_arguments(parser):
    add_size(parser, "that of the board, else base")
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
    add_cluster(parser)
    add_markdown(parser, "the boards")


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


def _make_target(name, options):
    """The Target of a board, or of the core alone if ``name`` is None.

    InputError for what can be known not to work before anything is made.
    """
    if name:
        board  = find_board(name)
        target = Target(options.size or board.size, board.name)
        check_fit(board, target.size)
        find_tools(part_of(board.platform()).family)
        return target
    part, _ = DEVICES[options.device]
    target  = Target(options.size or "base", device=options.device, freq=options.freq)
    check_device_fit(part.name, target.size, part.name)
    find_tools(part.family)
    return target


def _run(target, options, pool, console):
    """Attempts of a Target by seed, with progress."""
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                  TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(f"{target}, {pool.label}", total=options.seeds + 1)

        def step(message):
            progress.console.print(message, markup=False)
            progress.advance(task)

        return attempt_all(pool, target, options.seeds, first=options.first, report=step)


def _title(target):
    if target.board:
        clock = find_board(target.board).clock
        return f"{target.board} with {target.size}, whole design, clock {clock:g} MHz"
    part, _ = DEVICES[target.device]
    return f"{target.size} in {part.name}, speed 6, out of context"


def _print(target, fits, console):
    """What is shown of Fits by seed."""
    worst = min(fits, key=lambda seed: fits[seed].fmax)
    console.print(f"{_title(target)}, {len(fits)} seed{'s' * (len(fits) > 1)}")
    console.print(_resources(fits[worst]))
    console.print(_path(worst, fits[worst]))
    speeds = [result.fmax for result in fits.values()]
    console.print(f"worst {min(speeds):.1f} MHz, median {median(speeds):.1f} MHz, best "
                  f"{max(speeds):.1f} MHz")


def _row(target, attempts):
    """The row of a board in the table of ``_markdown``."""
    fits   = [each.fit for each in attempts]
    speeds = [each.fmax for each in fits]
    board  = find_board(target.board)
    minutes, seconds = divmod(round(median(each.seconds for each in attempts)), 60)
    products = find_size(target.size).products * board.clock
    return (board.name, part_of(board.platform()).name, target.size,
            *_columns(min(fits, key=lambda each: each.fmax)),
            f"{board.clock:g}", f"{min(speeds):.1f}", f"{median(speeds):.1f}",
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
    targets  = [_make_target(name, options) for name in options.board or [None]]
    attempts = {}
    with open_pool(options.cluster, describe_here, JOBS) as pool:
        for target in targets:
            attempts[target] = _run(target, options, pool, console)
            if not options.markdown:
                _print(target, _routed(target, attempts[target]), console)
    if options.markdown:
        rows = [_row(target, [seeds[seed] for seed in _routed(target, seeds)])
                for target, seeds in attempts.items()]
        console.print("\n".join(_markdown(rows)), markup=False, soft_wrap=True)
    return int(any(each.trouble for seeds in attempts.values() for each in seeds.values()))


def _routed(target, attempts):
    """Fits by seed; InputError if no seed has one."""
    fits = {seed: each.fit for seed, each in attempts.items() if each.fit}
    if not fits:
        raise InputError(f"No seed of {len(attempts)} places and routes {target}: "
                         f"{next(iter(attempts.values())).trouble}")
    return fits


COMMAND = Command(
    __doc__,
    example="xymac fit --size small --device ecp5-25k --seeds 5",
    add_arguments=_add_arguments, execute=_execute)

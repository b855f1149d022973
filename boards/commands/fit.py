# SPDX-License-Identifier: Apache-2.0
"""``xymac fit``: synthesise, place and route a core or a board with several seeds."""

import json
from statistics import median

from rich.table import Table

from xymac.boards.alone import DEVICES, TARGETS, plain_source
from xymac.boards.attempt import JOBS, Target, attempt_all, count_blocks, describe_here
from xymac.boards.blocks.show import block_figure, block_table, json_rows
from xymac.boards.blocks.tree import make_rows
from xymac.boards.board import all_boards, find_board
from xymac.boards.design import check_device_fit, check_fit, part_of
from xymac.boards.tools.flow import find_tools
from xymac.boards.tools.paths import path_lines
from xymac.boards.tools.unrouted import UNROUTED, count_unrouted
from xymac.hdl.config import find_size
from xymac.host.cli.command import Command, add_json, add_markdown, add_plot, add_size, positive
from xymac.host.cli.progress import make_progress
from xymac.host.cli.show.figure import check_figure, save_figure
from xymac.host.cluster import add_cluster, open_pool, run_all
from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file
from xymac.host.plural import plural

__all__ = ["COMMAND"]

SEEDS   = 5
_DEVICE = "ecp5-85k"


def _add_arguments(parser):
    add_size(parser, "that of the board, else base")
    parser.add_argument("--board", metavar="NAME", action="append", default=[],
                        help=f"the whole design of a board in place of a core alone, as often as "
                             f"you like: {', '.join(all_boards())}")
    parser.add_argument("--device", choices=(*DEVICES, *UNROUTED),
                        help=f"FPGA (default: {_DEVICE}); {', '.join(UNROUTED)}: cells of the core "
                             "alone after synthesis, which is not placed or routed")
    parser.add_argument("--blocks", action="store_true",
                        help="cells of every block of the design, after synthesis and packing: "
                             "nothing is placed or routed, as in `xymac fit --size small --device "
                             "ecp5-25k --blocks --plot build/blocks.svg`")
    parser.add_argument("--paths", action="store_true",
                        help="also print the ten worst paths of the worst seed, each to another "
                             "register, as in `xymac fit --size tiny --seeds 1 --paths`")
    parser.add_argument("--seeds", metavar="N", type=positive,
                        help=f"places and routes, each with its own seed (default: {SEEDS})")
    parser.add_argument("--first", metavar="N", type=positive,
                        help="the first of these seeds (default: 1)")
    parser.add_argument("--freq", metavar="MHZ", type=positive,
                        help="clock that placement and routing aim for, MHz (default: "
                             + ", ".join(f"{clock:g} with {plural(ways, 'way')}"
                                         for ways, clock in TARGETS.items())
                             + "; on a board a little more than its clock)")
    add_cluster(parser)
    add_json(parser)
    add_plot(parser, "the cells of every block, of --blocks,")
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
    """Target for the board ``name``, or for the core alone if ``name`` is None.

    InputError for an impossible combination, before any synthesis.
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
    """Run a Target's Attempts, showing progress; returns them by seed."""
    seeds = options.seeds or SEEDS
    with make_progress(console) as progress:
        task = progress.add_task(f"{target}, {pool.label}", total=seeds + 1)

        def step(message):
            progress.console.print(message, markup=False)
            progress.advance(task)

        return attempt_all(pool, target, seeds, first=options.first or 1, report=step)


def _title(target):
    if target.board:
        clock = find_board(target.board).clock
        return f"{target.board} with {target.size}, whole design, clock {clock:g} MHz"
    part, _ = DEVICES[target.device]
    return f"{target.size} in {part.name}, speed 6, out of context"


def _print(target, attempts, console, *, paths):
    """Print Attempts by seed, with the worst ``paths`` if requested."""
    fits  = {seed: each.fit for seed, each in attempts.items()}
    worst = min(fits, key=lambda seed: fits[seed].fmax)
    console.print(f"{_title(target)}, {plural(len(fits), 'seed')}")
    console.print(_resources(fits[worst]))
    console.print(_path(worst, fits[worst]))
    if paths:
        console.print(f"Worst paths of seed {worst}, each to another register")
        console.print("\n".join(path_lines(fits[worst].paths)), markup=False)
    console.print(f"kept: {attempts[worst].kept}.txt, .log and .json", markup=False,
                  soft_wrap=True)
    speeds = [result.fmax for result in fits.values()]
    console.print(f"worst {min(speeds):.1f} MHz, median {median(speeds):.1f} MHz, best "
                  f"{max(speeds):.1f} MHz")


def _row(target, attempts):
    """A board's row in the table of ``_markdown``."""
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
    """A row's table cells: logic, registers, multipliers, block RAM."""
    shares = {name: f"{used:,} of {result.available[name]:,}"
              for name, used in result.used.items()}
    if "logic cell" in shares:  # a logic cell consists of a LUT and a register
        return (shares["logic cell"], "in these", shares["SB_MAC16"],
                f"{shares['EBR']}, SPRAM {shares['SPRAM']}")
    return tuple(shares.values())


def _markdown(rows):
    """Board table lines."""
    heads = ("board", "device", "size", "LUT", "FF", "DSP", "block RAM", "clock MHz",
             "reached, worst", "median", "seeds", "products", "time to build")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _check_options(options):
    """Raise InputError for incompatible options or unwritable files."""
    if options.blocks:
        asked = [name for name in ("seeds", "first", "paths", "markdown") if getattr(options, name)]
        if asked:
            raise InputError(f"--{asked[0]} is for designs that are routed, and --blocks routes "
                             f"none")
        if len(options.board) > 1:
            raise InputError(f"--blocks is for one design, not for {len(options.board)} boards")
    elif options.plot:
        raise InputError("--plot draws blocks, so it needs --blocks")
    if options.freq and options.board:
        raise InputError("--freq is for a core alone: placement and routing of a board aim for its "
                         "clock")
    if options.plot:
        check_figure(options.plot)
    if options.json:
        check_writable(options.json)
    if options.markdown and not options.board:
        raise InputError("A table needs at least one --board")


def _show_unrouted(options, console):
    """Synthesise a core in an ``UNROUTED`` family; count and print its cells."""
    family, size = UNROUTED[options.device], options.size or "base"
    asked = [name for name in ("board", "seeds", "first", "freq", "paths", "blocks", "markdown")
             if getattr(options, name)]
    if asked:
        raise InputError(f"--{asked[0]} is for an ECP5 or a board, not for {options.device}, which "
                         f"is not placed or routed")
    if not find_size(size).capabilities.parallel:
        raise InputError(f"Size {size} is for a board with an iCE40 alone, not for "
                         f"{options.device}")
    with console.status(f"{size}: synthesis for {family.name}"):
        used = count_unrouted(plain_source(find_size(size)), f"xymac_{size}", family)
    console.print(f"{size} for {family.name}, out of context, after synthesis, unrouted: "
                  + ", ".join(f"{count:,} {name}" for name, count in used.items()),
                  markup=False, soft_wrap=True)
    if options.json:
        content = {"design": f"{size} for {family.name}", "routed": False, "used": used}
        write_file(options.json, json.dumps(content, indent=1) + "\n")
    return 0


def _check_device(options):
    """Set ``options.device``; InputError if a board has another FPGA."""
    for name in options.board if options.device else ():
        found = part_of(find_board(name).platform()).name
        known = DEVICES[options.device][0].name if options.device in DEVICES else options.device
        if known != found:
            raise InputError(f"--device {options.device} contradicts --board {name}, which has the "
                             f"{found}")
    options.device = options.device or _DEVICE


def _execute(options, console):
    _check_options(options)
    _check_device(options)
    if options.device in UNROUTED:
        return _show_unrouted(options, console)
    targets = [_make_target(name, options) for name in options.board or [None]]
    if options.blocks:
        return _show_blocks(targets[0], options, console)
    attempts = {}
    with open_pool(options.cluster, describe_here, JOBS) as pool:
        for target in targets:
            attempts[target] = _run(target, options, pool, console)
            if not options.markdown:
                _print(target, _routed(target, attempts[target]), console, paths=options.paths)
    if options.markdown:
        rows = [_row(target, list(_routed(target, seeds).values()))
                for target, seeds in attempts.items()]
        console.print("\n".join(_markdown(rows)), markup=False, soft_wrap=True)
    if options.json:
        write_file(options.json, json.dumps([_json_row(target, seeds) for target, seeds
                                             in attempts.items()], indent=1) + "\n")
    return int(any(each.trouble for seeds in attempts.values() for each in seeds.values()))


def _show_blocks(target, options, console):
    """Count, print and draw every block's cells; returns the exit code."""
    with (open_pool(options.cluster, describe_here, JOBS) as pool,
          console.status(f"{target}: synthesis and packing, {pool.label}")):
        (counts,) = run_all(pool, {f"blocks of {target}": (count_blocks, target)}).values()
    rows, title = make_rows(counts), f"{_title(target)}: cells by block"
    console.print(title, markup=False)
    console.print(block_table(rows))
    if options.json:
        write_file(options.json, json.dumps(
            {"design": str(target), "blocks": json_rows(rows), "instances": counts},
            indent=1) + "\n")
    if options.plot:
        save_figure(options.plot, block_figure(rows, title))
    return 0


def _json_row(target, attempts):
    """JSON form for a Target and its seeds."""
    seeds = [{"seed": seed, "trouble": each.trouble} if each.fit is None else
             {"seed": seed, "fmax": each.fit.fmax, "used": each.fit.used,
              "available": each.fit.available, "paths": [path.row() for path in each.fit.paths],
              "kept": each.kept} for seed, each in attempts.items()]
    return {"design": str(target), "seeds": seeds}


def _routed(target, attempts):
    """Attempts with a Fit, by seed; InputError if no seed has a Fit."""
    routed = {seed: each for seed, each in attempts.items() if each.fit}
    if not routed:
        raise InputError(f"No seed of {len(attempts)} places and routes {target}: "
                         f"{next(iter(attempts.values())).trouble}")
    return routed


COMMAND = Command(
    __doc__,
    example="xymac fit --size small --device ecp5-25k --seeds 5",
    add_arguments=_add_arguments, execute=_execute)

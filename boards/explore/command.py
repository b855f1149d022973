# SPDX-License-Identifier: Apache-2.0
"""``xymac explore``: core sizes for an FPGA, and network speeds on each."""

import json
from contextlib import nullcontext

from xymac.boards.alone import DEVICES
from xymac.boards.attempt import JOBS, describe_here
from xymac.boards.board import find_board
from xymac.boards.design import part_of
from xymac.boards.tools.family import ECP5
from xymac.boards.tools.flow import find_tools
from xymac.host.cli.command import Command, add_json, add_markdown, add_plot, positive
from xymac.host.cli.progress import make_progress
from xymac.host.cli.show.figure import check_figure, save_figure
from xymac.host.cluster import Threads, add_cluster, open_pool
from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file
from xymac.host.network.load import load_model
from xymac.host.network.pace import DMA, DMA_BITS, LINKS

from .figure import point_figure
from .grid import add_grid, list_sizes
from .measure import add_all_cycles, begin, build_all
from .table import command_lines, markdown_lines, network_table, point_table

__all__ = ["COMMAND"]

_DEVICE = "ecp5-85k"  # without a board


def _add_arguments(parser):
    parser.add_argument("--network", metavar="NET", nargs="+", action="extend", default=[],
                        help="networks: .tflite files, or .npz files")
    add_grid(parser)
    parser.add_argument("--board", metavar="NAME",
                        help="FPGA, clock and UART of a board with an ECP5, unless --device, "
                             "--freq or --link say otherwise, as in `xymac explore --board "
                             "ulx3s-25f --network host/examples/data/digits_cnn.tflite --quick`")
    parser.add_argument("--device", choices=tuple(DEVICES),
                        help=f"FPGA (default: that of the board, else {_DEVICE})")
    parser.add_argument("--route", action="store_true",
                        help="place and route as well, for the clock that is reached: many minutes "
                             "a size")
    parser.add_argument("--quick", action="store_true",
                        help="no synthesis, which takes minutes a size: multipliers and block RAM "
                             "follow from the size, LUT4 stay unknown")
    parser.add_argument("--freq", metavar="MHZ", type=positive,
                        help="clock that placement and routing aim for, and that counts without "
                             "--route, MHz (default: that of the board, else as `xymac fit`)")
    parser.add_argument("--link", choices=(*LINKS, DMA),
                        help=f"way of inputs and outputs, for inputs a second: a processor on the "
                             f"core's bus, the UART of a board, or a DMA of {DMA_BITS} bits on an "
                             f"SDRAM, predicted (default: {LINKS[1]} with --board, else "
                             f"{LINKS[0]})")
    parser.add_argument("--backend", choices=("model", "rtl"),
                        help="cycles of the cycle model, or of one input in RTL, compared with "
                             "golden: half a minute a size to compile (default: model)")
    add_cluster(parser)
    add_json(parser)
    add_plot(parser, "inputs a second, end to end, against LUT4")
    add_markdown(parser, "the sizes")


def _take_board(options):
    """Set the device, clock and link that are not given, by the board if there is one; InputError
    for a board with another FPGA.
    """
    if options.board:
        board = find_board(options.board)
        part  = part_of(board.platform())
        known = {_kind(each): name for name, (each, _) in DEVICES.items()}
        if part.family is not ECP5:
            raise InputError(f"Board must be one with an ECP5, not {board.name}, which has the "
                             f"{part.name}")
        if options.device not in (None, known[_kind(part)]):
            raise InputError(f"--device {options.device} contradicts --board {board.name}, which "
                             f"has the {part.name}")
        options.device = known[_kind(part)]
        options.freq   = options.freq or (board.aim if options.route else board.clock)
        options.link   = options.link or (LINKS[1] if options.network else None)
    options.device = options.device or _DEVICE


def _kind(part):
    """Size of an FPGA in its name: ``85F``."""
    return part.name.rpartition("-")[2]


def _check_options(options):
    """Raise InputError for unusable options before any work."""
    if options.quick and options.route:
        raise InputError("--route needs synthesis, which --quick leaves out")
    for name in ("link", "backend"):
        if getattr(options, name) and not options.network:
            raise InputError(f"--{name} is for the speed of networks: it needs at least one "
                             f"--network")
    if options.plot:
        if options.quick:
            raise InputError("--plot draws LUT4, which --quick leaves out")
        if not options.network:
            raise InputError("--plot needs at least one --network")
        check_figure(options.plot)
    if options.json:
        check_writable(options.json)
    if not options.quick:
        find_tools()


def _load_networks(paths):
    """Networks by name; InputError if a file is unreadable or two networks have the same name."""
    networks = {}
    for path in paths:
        network = load_model(path)
        if network.name in networks:
            raise InputError(f"Networks must have names of their own, two are called "
                             f"{network.name}")
        networks[network.name] = network
    return networks


def _measure(options, sizes, networks, console):
    """Points for all sizes, with progress."""
    points = [begin(size, options.device, options.freq, options.link or LINKS[0])
              for size in sizes]
    steps  = len(sizes) * (bool(networks) + (not options.quick))
    with (open_pool(options.cluster, describe_here, JOBS) as pool,
          make_progress(console) as progress):
        task = progress.add_task("cycles", total=steps)

        def step(message=""):
            if message:
                progress.console.print(message, markup=False)
            progress.advance(task)

        if networks:
            # Without a cluster: only the model, or one simulator at a time.
            with Threads(1) if options.cluster is None else nullcontext(pool) as cycles:
                points = add_all_cycles(cycles, points, networks, rtl=options.backend == "rtl",
                                        report=lambda _: step())
        if options.quick:
            return points
        progress.update(task, description="synthesis" + " and routing" * options.route)
        progress.advance(task, sum(bool(point.trouble) for point in points))
        return build_all(pool, points, freq=options.freq, route=options.route, report=step)


def _print(options, points, networks, console):
    if options.markdown:
        console.print("\n".join(markdown_lines(points, networks)), markup=False, soft_wrap=True)
        return
    fitting = sum(not point.trouble for point in points)
    console.print(f"{options.device}: {fitting} of {len(points)} sizes fit", markup=False)
    console.print(point_table(points))
    for name in networks:
        console.print(network_table(points, name))


def _execute(options, console):
    _take_board(options)
    _check_options(options)
    sizes    = list_sizes(options)
    networks = _load_networks(options.network)
    points   = _measure(options, sizes, networks, console)
    _print(options, points, networks, console)
    rows = [point.row() for point in points]
    if options.json:
        write_file(options.json, json.dumps(rows, indent=1) + "\n")
    if all(point.trouble for point in points):
        raise InputError(f"No size of {len(points)} fits the {options.device}: "
                         f"{points[0].config.name} needs {points[0].trouble}")
    if not options.markdown:
        for line in command_lines(points, networks):
            console.print(line, markup=False, soft_wrap=True)
    if options.plot:
        save_figure(options.plot, point_figure(points, networks, options.device),
                    description=json.dumps(rows))
    return _judge(points, console)


def _judge(points, console):
    """Exit code: 1, with a printed line each, if RTL results differ from golden."""
    wrong = [(point, name) for point in points for name in sorted(point.wrong)]
    for point, name in wrong:
        console.print(f"The RTL result of {name} on size {point.config.name} differs from golden",
                      markup=False)
    return int(bool(wrong))


COMMAND = Command(
    __doc__,
    example="xymac explore --network host/examples/data/digits_cnn.tflite --ways 1,2 "
            "--y-rows 1024,2048 --quick",
    add_arguments=_add_arguments, execute=_execute)

# SPDX-License-Identifier: Apache-2.0
"""``xymac bench``: benchmark cycles in RTL against their ideal cycles, and speeds."""

import json
from functools import partial
from itertools import starmap
from math import inf
from pathlib import Path

from rich.table import Table

from xymac import golden
from xymac.hdl.config import BASE, WIDTHS, find_size
from xymac.host.cli.clock import add_clock
from xymac.host.cli.command import Command, add_json, add_markdown, add_plot, add_size
from xymac.host.cli.dma import add_memory, check_memory, config_of
from xymac.host.cli.show.figure import check_figure, save_figure
from xymac.host.cycles.model import predict
from xymac.host.errors import InputError, translate_refusals
from xymac.host.files import check_writable, write_file
from xymac.host.files.text import plain
from xymac.host.image.external import ExternalMemory
from xymac.host.network.tflite import load_tflite, network_of
from xymac.host.plan.plan import Plan
from xymac.sim.rtl.device import RtlDevice

from .benchmarks import BENCHMARKS
from .figure import TITLE, benchmark_figure
from .gaps import idle_between
from .image_bench import image_row, image_table, measure_image
from .loops import golden_speed
from .measure import measure, measure_run
from .network_bench import measure_network
from .network_table import network_row, network_table, print_layers, refused_row
from .networks import NETWORKS
from .results import BenchmarkResult, Limit, WrongResultError

__all__ = ["COMMAND", "measure_benchmark", "measure_limits"]

INDEPENDENT    = 4     #: Maximum idle cycles before an independent pass.
MARGIN         = 8     #: Maximum idle cycles beyond the pipeline depth before a dependent pass.
HARNESS_SHARE  = 0.8   #: Minimum harness speed relative to a bare loop.
RUN_FASTER     = 1.3   #: Than with a core compiled plainly, its trace read over the bus.
GOLDEN_FASTER  = 20    #: Than plain loops.
GOLDEN_SECONDS = 0.02
DMA_SHARE      = 1.02  #: Of a network's target, with all transfers.


def golden_output(layers, *inputs):
    """Last layer's output; the first layer gets the Tensors ``inputs``."""
    for layer in layers:
        inputs = (golden.run(layer, *inputs).output,)
    return inputs[0]


def measure_benchmark(device, benchmark):
    """Run a Benchmark on an RTL device; returns a BenchmarkResult. WrongResultError if it differs.
    """
    layers, *inputs = benchmark.operands()
    config = device.config
    with translate_refusals(f"{benchmark.name} on size {config.name}", OverflowError, ValueError):
        plan = Plan(config, layers, *inputs)
    plan.load(device)
    run = plan.run(device, *inputs)
    if run.output != golden_output(layers, *inputs):
        raise WrongResultError(f"The RTL result of {benchmark.name} differs from golden")
    return BenchmarkResult(benchmark.name, run.result.counters["cycles"], benchmark.ideal(config),
                           benchmark.target if config == BASE else inf,
                           predict(plan.program, config).cycles)


def measure_limits(device):
    """Yield a Limit for each measure: gaps between passes, speeds of harness and golden kernel."""
    idle, _ = idle_between(device, dependent=False)
    yield Limit("idle between independent passes", f"{idle} cycles", f"<= {INDEPENDENT}",
                idle <= INDEPENDENT, idle)
    idle, depth = idle_between(device, dependent=True)
    yield Limit("idle between dependent passes", f"{idle} cycles", f"<= {depth} + {MARGIN}",
                idle <= depth + MARGIN, idle)
    harness, bare = measure(device.config)
    yield Limit("fast harness", f"{harness:,.0f} cycles/s, {harness / bare:.2f} of a bare C++ loop",
                f">= {HARNESS_SHARE}", harness >= HARNESS_SHARE * bare, harness / bare)
    fast, plain = measure_run(device.config)
    yield Limit("xymac run on the digits, speed-up",
                f"{fast:,.0f} cycles/s, {fast / plain:.2f} x a plain build read over the bus",
                f">= {RUN_FASTER}", fast >= RUN_FASTER * plain, fast / plain)
    [layer], x = BENCHMARKS[0].operands()
    seconds, plain = golden_speed(layer, x)
    yield Limit(f"golden {BENCHMARKS[0].name}",
                f"{1000 * seconds:.2f} ms, {plain / seconds:,.0f} x seven plain loops",
                f"< {1000 * GOLDEN_SECONDS:.0f} ms, >= {GOLDEN_FASTER} x",
                seconds < GOLDEN_SECONDS and plain >= GOLDEN_FASTER * seconds, plain / seconds)


def _mark(met):
    return "[green]met[/]" if met else "[red]missed[/]"


def _table(*columns):
    table = Table(box=None)
    for name, justify in columns:
        table.add_column(name, justify=justify)
    return table


def _benchmark_table(results, clock):
    times = ["ms"] * bool(clock)
    table = _table(("benchmark", "left"), *((name, "right") for name in (
        "cycles", "ideal", "ratio", "target", "predicted", "error", *times)), ("", "left"))
    for row in results:
        table.add_row(row.benchmark, f"{row.cycles:,}", f"{row.ideal:,.0f}", f"{row.ratio:.3f}",
                      "-" if row.target == inf else f"{row.target:.2f}", f"{row.predicted:,}",
                      f"{row.error:+.2%}",
                      *([f"{clock.milliseconds(row.cycles):,.4f}"] if clock else []),
                      _mark(row.met))
    return table


def _limit_table(limits):
    table = _table(*((name, "left") for name in ("measure", "value", "limit", "")))
    for row in limits:
        table.add_row(row.name, row.value, row.limit, _mark(row.met))
    return table


def _rows(results, limits):
    """Benchmarks, then measures, for JSON."""
    return [*({"benchmark": row.benchmark, "cycles": row.cycles, "ideal": row.ideal,
               "ratio": row.ratio, "predicted": row.predicted} for row in results),
            *({"measure": row.name, "number": row.number, "limit": row.limit, "met": row.met}
              for row in limits)]


def _add_arguments(parser):
    add_size(parser, "base, the only one with targets", fill="base", every=False)
    add_json(parser)
    add_plot(parser, "cycles over the ideal of every benchmark, next to its target,")
    add_clock(parser)
    parser.add_argument("--networks", action="store_true",
                        help="whole networks instead of kernels, on a random input: networks "
                             "of int8 values, of the shapes of MLPerf Tiny, with random constants")
    parser.add_argument("--files", metavar="F.tflite", nargs="+", default=[], type=Path,
                        help="with --networks: these files as well, with inputs of any type")
    parser.add_argument("--layers", action="store_true",
                        help="with --networks: also the layers of every network")
    add_markdown(parser, "with --layers: the layers, all columns,")
    parser.add_argument("--dma", metavar="BITS", type=int, choices=WIDTHS,
                        help="with --networks: as images that a core with a DMA of 32, 64 or 128 "
                             "bits fetches, with all transfers, as in `xymac bench --networks "
                             "--dma 32`; their targets are 2 %% higher")
    add_memory(parser)


def _check_options(options):
    for name, verb in (("files", "need"), ("layers", "need"), ("dma", "needs")):
        if getattr(options, name) and not options.networks:
            raise InputError(f"--{name} {verb} --networks")
    if options.markdown and not options.layers:
        raise InputError("--markdown needs --layers")
    check_memory(options)
    if options.dma and (options.layers or options.clock):
        raise InputError(f"--{'layers' if options.layers else 'clock'} does not go with --dma")
    if options.plot and options.size != BASE.name:
        raise InputError(f"--plot draws targets, which are those of base, not of {options.size}")
    if options.plot and options.networks:
        raise InputError("--plot draws the benchmarks, not --networks")
    if options.json:
        check_writable(options.json)
    if options.plot:
        check_figure(options.plot)


def _measure_benchmarks(device, options, console):
    """Print all benchmark and limit results; returns results, JSON rows, and 0 refused
    networks.
    """
    results = []
    for benchmark in BENCHMARKS:
        with console.status(f"Running {benchmark.name}"):
            results.append(measure_benchmark(device, benchmark))
    console.print(_benchmark_table(results, options.clock))
    with console.status("Measuring speeds"):
        limits = list(measure_limits(device))
    console.print(_limit_table(limits))
    if options.plot:
        save_figure(options.plot, benchmark_figure(TITLE, results))
    return [*results, *limits], _rows(results, limits), 0


def _measure_networks(files, device, options, console):
    """Print results for the built-in networks and the Networks ``files``; returns results, JSON
    rows, and the count of refused networks.

    Refusals are printed with their reasons.
    """
    benchmarks = [(network_of(each.model(), each.name), each.target) for each in NETWORKS]
    results, refused = [], []
    for network, target in (*benchmarks, *((network, 0) for network in files)):
        with console.status(f"Running {plain(network.name)}"):
            try:
                results.append(measure_network(device, network,
                                               target if device.config == BASE else 0))
            except InputError as error:
                refused.append((network.name, str(error)))
    console.print(network_table(results, options.clock))
    if options.layers:
        print_layers(results, console, options)
    for name, reason in refused:
        console.print(plain(f"{name} is not measured: {reason}"), markup=False, soft_wrap=True)
    rows = [*map(network_row, results), *starmap(refused_row, refused)]
    return results, rows, len(refused)


def _measure_images(files, device, options, console):
    """As ``_measure_networks``, for images."""
    at_base = options.size == BASE.name
    benchmarks = [(network_of(each.model(), each.name), int(DMA_SHARE * each.target) * at_base)
                  for each in NETWORKS]
    results, refused = [], []
    for network, target in (*benchmarks, *((network, 0) for network in files)):
        with console.status(f"Running {plain(network.name)}"):
            try:
                results.append(measure_image(device, network, options.memory or ExternalMemory(),
                                             target))
            except InputError as error:
                refused.append((network.name, str(error)))
    console.print(image_table(results))
    for name, reason in refused:
        console.print(plain(f"{name} is not measured: {reason}"), markup=False, soft_wrap=True)
    return results, [*map(image_row, results), *starmap(refused_row, refused)], len(refused)


def _execute(options, console):
    _check_options(options)
    measure = _measure_benchmarks
    if options.networks:
        measure = partial(_measure_networks, [*map(load_tflite, options.files)])
    if options.dma:
        measure = partial(_measure_images, [*map(load_tflite, options.files)])
    config = config_of(options) if options.dma else find_size(options.size)
    with console.status(f"Preparing rtl, size {config.name}"):
        device = RtlDevice(config)
    with device:
        try:
            results, rows, refused = measure(device, options, console)
        except WrongResultError as error:
            console.print(plain(error), markup=False)
            return 1
    if options.json:
        write_file(options.json, json.dumps(rows, indent=1) + "\n")
    missed = [row for row in results if not row.met]
    console.print(f"{len(results) - len(missed)} targets met, {len(missed)} missed"
                  + (f", {refused} not measured" if refused else ""))
    return int(bool(missed or refused))


COMMAND = Command(
    __doc__,
    example="xymac bench --json build/bench.json",
    add_arguments=_add_arguments, execute=_execute)

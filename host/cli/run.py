"""``xymac run``: run a network on images, and compare every layer with the golden kernels."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hdl.config import CORES
from host.device.device import load_device, open_device
from host.errors import InputError
from host.files import write_whole
from host.network.cost import layer_costs, total_cost
from host.network.file import load_images, load_network
from host.network.jobs import classify_with_jobs, count_cores
from host.network.network import Images

from .command import GOLDEN, Command, add_backend, add_markdown, add_plot, device_options, positive
from .figure import check_figure, layer_figure, save_figure
from .report import layer_markdown, layer_table, pace, prediction_lines, verdict

__all__ = ["COMMAND"]

SEED = 1  #: Of the random input that stands in for missing images.


def _add_arguments(parser):
    parser.add_argument("network", metavar="NET.npz",
                        help="network file (see host/network/file.py)")
    parser.add_argument("--images", metavar="F",
                        help="image file to classify (default: one random input)")
    parser.add_argument("--limit", metavar="N", type=positive, help="at most N images")
    add_backend(parser, "rtl")
    parser.add_argument("--jobs", metavar="N", type=positive,
                        help=f"processes that share the images, each with a core of its own "
                             f"(default: {count_cores()}, one a core of this computer, if there "
                             f"are enough images)")
    add_markdown(parser, "the layers")
    add_plot(parser, "the cycles of every layer, by what they went to, against its floor")
    parser.add_argument("--waves", metavar="F.vcd", type=Path,
                        help="write the waveforms of the simulation (backend rtl; use --limit 1)")


def _images(options, network):
    if options.images:
        images = load_images(options.images, network)
    else:
        limits = np.iinfo(network.dtype)
        data = np.random.default_rng(SEED).integers(
            limits.min, limits.max, (1, *network.input_shape), network.dtype, endpoint=True)
        images = Images(data, None)
    labels = None if images.labels is None else images.labels[:options.limit]
    return Images(images.data[:options.limit], labels)


def _check_jobs(options):
    """Settle ``options.jobs``; InputError if what there is once is to be shared."""
    if options.waves and options.backend != "rtl":
        raise InputError(f"Waveforms need the backend rtl, not {options.backend}")
    exclusive = options.waves or (options.backend != GOLDEN
                                  and load_device(options.backend).exclusive)
    if exclusive:
        if options.jobs not in (None, 1):
            what = "the waveforms are one file" if options.waves else "there is one board"
            raise InputError(f"--jobs must be 1 where {what}, not {options.jobs}")
        options.jobs = 1


def _classify(options, network, images, extra, console):
    """Inference of the images on the backend, with a bar of its progress."""
    with ExitStack() as stack:
        if options.waves:
            extra["waves"] = stack.enter_context(write_whole(options.waves))
        device = opener = None
        if options.backend != GOLDEN:
            opener = partial(open_device, options.backend, CORES[options.size], **extra)
            with console.status(f"Preparing {options.backend}, size {options.size}"):
                device = stack.enter_context(opener())
        progress = stack.enter_context(Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=console))
        task = progress.add_task("classifying", total=len(images))
        return classify_with_jobs(network, images, device=device, opener=opener,
                                  jobs=options.jobs, progress=lambda: progress.advance(task))


def _print_layers(options, console, costs):
    if options.markdown:
        console.print("\n".join(layer_markdown(costs)), markup=False, soft_wrap=True)
    else:
        console.print(layer_table(costs))


def _draw_layers(options, network, costs):
    total = total_cost(costs)
    if total.counters is None:
        title = f"{network.name}, size {options.size}: floor {total.floor:,.0f} cycles"
    else:
        title = (f"{network.name}, one image on {options.size}: {total.cycles:,} cycles, floor "
                 f"{total.floor:,.0f} ({total.floor / total.cycles:.0%})")
    save_figure(options.plot, layer_figure(title, costs))


def _execute(options, console):
    if options.plot:
        check_figure(options.plot)
    network = load_network(options.network)
    extra = device_options(options)
    _check_jobs(options)
    images = _images(options, network)
    count = len(images.data)
    console.print(f"{network.name}: {len(network.layers)} layers, {count} "
                  f"image{'s' * (count > 1)}, backend {options.backend}, size {options.size}"
                  f"{', via bus' if options.via == 'bus' else ''}", markup=False)
    inference = _classify(options, network, images.data, extra, console)
    costs = layer_costs(network, inference, CORES[options.size])
    _print_layers(options, console, costs)
    for line in prediction_lines(inference.predictions, images.labels):
        console.print(line, markup=False, soft_wrap=True)
    console.print(verdict(options.backend, network, inference), markup=False)
    if inference.cycles:
        console.print(pace(options.backend, inference))
    if options.plot:
        _draw_layers(options, network, costs)
    return int(inference.difference is not None)


COMMAND = Command(
    __doc__,
    example="xymac run host/examples/data/digits_cnn.npz "
            "--images host/examples/data/digits_images.npz --limit 10",
    add_arguments=_add_arguments, execute=_execute)

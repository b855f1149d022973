# SPDX-License-Identifier: Apache-2.0
"""``xymac run``: run a network on images, and compare every layer with the golden kernels."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from xymac.hdl.config import find_size
from xymac.host.device.device import load_device, open_device
from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_whole
from xymac.host.network.cost import layer_costs, total_cost
from xymac.host.network.jobs import classify_with_jobs, count_cores
from xymac.host.network.load import load_model
from xymac.host.network.traffic import count_traffic

from .command import (
    GOLDEN,
    Command,
    add_backend,
    add_json,
    add_markdown,
    add_plot,
    device_options,
    positive,
)
from .figure import check_figure, layer_figure, save_figure
from .inputs import add_pixels, read_inputs
from .layers import layer_markdown, layer_table
from .operators import print_operators
from .report import describe_traffic, output_lines, pace, prediction_lines, verdict
from .results import as_json, check_outputs, save_json, save_outputs
from .run_compiled import run_compiled

__all__ = ["COMMAND"]

def _add_arguments(parser):
    parser.add_argument("network", metavar="NET", nargs="?",
                        help="network: a .tflite file of int8 or int16 values, an .npz file "
                             "(see host/network/file.py), or a folder that `xymac compile` wrote")
    parser.add_argument("--images", metavar="F",
                        help="inputs: .npy or .npz, of a .tflite file also a PNG, JPEG or BMP "
                             "file or a folder of these (see host/network/inputs; "
                             "default: one random input)")
    add_pixels(parser)
    parser.add_argument("--operators", action="store_true",
                        help="print the supported operators of .tflite files with types, "
                             "dimensions, strides and other limits, and the part that a core of "
                             "this size runs")
    parser.add_argument("--limit", metavar="N", type=positive, help="at most N images")
    parser.add_argument("--reset-states", action="store_true",
                        help="start every image with the initial states (default: LSTM and "
                             "SVDF keep their states between images, as tflite-micro does)")
    parser.add_argument("--outputs", metavar="F",
                        help="also write the outputs, one row per image, to this .npy file, or "
                             ".npz by the names of the outputs")
    parser.add_argument("--golden", metavar="NET",
                        help="for a compiled network: compare its outputs with the golden "
                             "outputs of this network file, its source")
    add_backend(parser, "rtl")
    parser.add_argument("--jobs", metavar="N", type=positive,
                        help=f"processes that share the images, each with its own core "
                             f"(default: {count_cores()}, one per CPU core, if there "
                             f"are enough images)")
    add_markdown(parser, "the layers")
    add_json(parser)
    add_plot(parser, "the cycles of every layer by cause, with its ideal cycles")
    parser.add_argument("--waves", metavar="F.vcd", type=Path,
                        help="write the waveforms of the simulation (backend rtl; use --limit 1)")


def _check_jobs(options, network):
    """Set ``options.jobs``; InputError if a single resource would be shared by several processes.
    """
    if options.waves and options.backend != "rtl":
        raise InputError(f"Waveforms need the backend rtl, not {options.backend}")
    reasons = {
        "the waveforms are one file": options.waves,
        "there is one board": options.backend != GOLDEN and load_device(options.backend).exclusive,
        "states stay from image to image (see --reset-states)":
            network.has_states and not options.reset_states}
    for what, given in reasons.items():
        if given:
            if options.jobs not in (None, 1):
                raise InputError(f"--jobs must be 1 where {what}, not {options.jobs}")
            options.jobs = 1


def _classify(options, network, images, extra, console):
    """Inference of the images on the backend, with a progress bar."""
    with ExitStack() as stack:
        if options.waves:
            extra["waves"] = stack.enter_context(write_whole(options.waves))
        device = opener = None
        if options.backend != GOLDEN:
            opener = partial(open_device, options.backend, find_size(options.size), **extra)
            with console.status(f"Preparing {options.backend}, size {options.size}"):
                device = stack.enter_context(opener())
        progress = stack.enter_context(Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), console=console))
        task = progress.add_task("classifying", total=images.count)
        return classify_with_jobs(network, images.data, device=device, opener=opener,
                                  jobs=options.jobs, progress=lambda: progress.advance(task),
                                  reset_states=options.reset_states)


def _print_layers(options, console, costs):
    if options.markdown:
        console.print("\n".join(layer_markdown(costs)), markup=False, soft_wrap=True)
    else:
        console.print(layer_table(costs, console.width))


def _draw_layers(options, network, costs):
    total = total_cost(costs)
    if total.counters is None:
        title = f"{network.name}, size {options.size}: ideal {total.ideal:,.0f} cycles"
    else:
        title = (f"{network.name}, one image on {options.size}: {total.cycles:,} cycles, ideal "
                 f"{total.ideal:,.0f} ({total.ideal / total.cycles:.0%})")
    save_figure(options.plot, layer_figure(title, costs))


def _check_files(options, network):
    """Raise InputError unless all requested files can be written; called before long work."""
    if options.json:
        check_writable(options.json)
    if options.outputs:
        check_outputs(options.outputs, network)


def _write_files(options, network, inference, costs, traffic):
    if options.plot:
        _draw_layers(options, network, costs)
    if options.json:
        save_json(options.json, as_json(options, network, inference, costs, traffic))
    if options.outputs:
        save_outputs(options.outputs, network, inference.outputs)


def _execute(options, console):
    if options.operators:
        return print_operators(find_size(options.size or "base"), console,
                               markdown=options.markdown)
    if options.network is None:
        raise InputError("The network NET is required, or --operators")
    if Path(options.network).is_dir():
        return run_compiled(options, console)
    if options.golden:
        raise InputError("--golden is for compiled networks, a folder DIR")
    if options.plot:
        check_figure(options.plot)
    network = load_model(options.network)
    _check_files(options, network)
    extra = device_options(options)
    _check_jobs(options, network)
    images = read_inputs(options.images, network, options.limit, options.pixels)
    count = images.count
    console.print(f"{network.name}: {len(network.layers)} layers, {count} "
                  f"image{'s' * (count > 1)}, backend {options.backend}, size {options.size}"
                  f"{', via bus' if options.via == 'bus' else ''}", markup=False)
    if images.reading:
        console.print(f"Inputs: {images.reading}", markup=False)
    inference = _classify(options, network, images, extra, console)
    costs = layer_costs(network, inference, find_size(options.size))
    _print_layers(options, console, costs)
    for line in (*output_lines(network, inference.outputs),
                 *prediction_lines(inference.predictions, images.labels)):
        console.print(line, markup=False, soft_wrap=True)
    console.print(verdict(options.backend, network, inference), markup=False, soft_wrap=True)
    if inference.cycles:
        console.print(pace(options.backend, inference))
    traffic = None
    if options.backend != GOLDEN:
        with console.status("Counting words of the host"):
            traffic = count_traffic(network, find_size(options.size))
        console.print(describe_traffic(traffic, total_cost(costs)), soft_wrap=True)
    _write_files(options, network, inference, costs, traffic)
    return int(inference.difference is not None)


COMMAND = Command(
    __doc__,
    example="xymac run host/examples/data/digits_cnn.npz "
            "--images host/examples/data/digits_images.npz --limit 10",
    add_arguments=_add_arguments, execute=_execute)

# SPDX-License-Identifier: Apache-2.0
"""``xymac run``: run a network on images, and compare its layers with the golden kernels."""

from argparse import ArgumentParser
from pathlib import Path

from xymac.hdl.config import find_size
from xymac.host.cli.show.answers import answer_lines, read_names
from xymac.host.cli.show.figure import check_figure, layer_figure, layer_title, save_figure
from xymac.host.cli.show.layers import layer_markdown, layer_table
from xymac.host.cli.show.operators import print_operators
from xymac.host.cli.show.report import describe_traffic, pace, verdict
from xymac.host.errors import InputError
from xymac.host.files import check_writable
from xymac.host.network.cost import layer_costs, total_cost
from xymac.host.network.load import load_model
from xymac.host.network.pace import find_dma_pace, find_paces
from xymac.host.network.traffic import count_traffic
from xymac.host.plural import plural

from .classify import add_jobs, check_jobs, classify_images
from .clock import add_clock, pace_table, take_clock
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
from .dma import add_dma
from .inputs import add_pixels, read_inputs
from .results import as_json, check_outputs, save_json, save_outputs
from .run_compiled import run_compiled
from .run_image import run_image
from .waves import add_waves, check_waves

__all__ = ["COMMAND"]

_BESIDE    = ("operators", "size", "markdown")  #: Options of --operators.
_UNCOUNTED = (GOLDEN, "machine")  #: Backends without cycles of layers.


def _add_arguments(parser):
    parser.add_argument("network", metavar="NET", nargs="?",
                        help="network: a .tflite file of int8 or int16 values, an .npz file "
                             "(see host/network/file.py), or a folder that `xymac compile` wrote")
    parser.add_argument("--images", "--inputs", metavar="F",
                        help="inputs: .npy or .npz, of a .tflite file also a PNG, JPEG or BMP "
                             "file or a folder of these (see host/network/inputs; "
                             "default: one random input)")
    add_pixels(parser)
    parser.add_argument("--classes", metavar="F.txt",
                        help="names of the classes for the answers, a line each, class 0 first")
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
    add_dma(parser)
    add_jobs(parser)
    add_clock(parser)
    add_markdown(parser, "the layers")
    add_json(parser)
    add_plot(parser, "the cycles of every layer by cause, with its ideal cycles")
    add_waves(parser)


def _print_layers(options, console, costs):
    if options.markdown:
        console.print("\n".join(layer_markdown(costs, options.clock)), markup=False, soft_wrap=True)
    else:
        console.print(layer_table(costs, console.width, options.clock))


def _draw_layers(options, network, costs):
    title = layer_title(network.name, options.size, costs)
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


def _print_traffic(options, network, costs, console):
    """Print the host's words and times for an input; returns its Traffic, None if unknown."""
    total = total_cost(costs)
    with console.status("Counting words of the host"):
        traffic = count_traffic(network, find_size(options.size))
    console.print(describe_traffic(traffic, total), soft_wrap=True)
    if options.clock and traffic is not None and total.counters is not None and total.cycles:
        with console.status("Scheduling the transfers of a DMA"):
            other = find_dma_pace(network, find_size(options.size), options.clock)
        console.print(pace_table([*find_paces(total.cycles, traffic, options.clock),
                                  *filter(None, [other])], options.clock))
    return traffic


def _execute(options, console):
    if options.operators:
        _check_alone(options)
        return print_operators(find_size(options.size or "base"), console,
                               markdown=options.markdown)
    if options.network is None:
        raise InputError("The network NET is required, or --operators")
    if options.dma or options.memory:
        return run_image(options, console)
    if Path(options.network).is_dir():
        return run_compiled(options, console)
    return _run_network(options, console)


def _check_alone(options):
    """Raise InputError if --operators comes with NET or with an ignored option."""
    blank = ArgumentParser()
    _add_arguments(blank)
    for name, default in vars(blank.parse_args([])).items():
        if name not in _BESIDE and getattr(options, name) != default:
            argument = "NET" if name == "network" else "--" + (
                name.removeprefix("waves_").replace("_", "-"))
            raise InputError(f"--operators prints a table of all operators and takes --size and "
                             f"--markdown, not {argument}")


def _run_network(options, console):
    """Run a network file layer by layer."""
    if options.golden:
        raise InputError("--golden is for compiled networks, a folder DIR")
    if options.plot:
        check_figure(options.plot)
    network = load_model(options.network)
    _check_files(options, network)
    extra = device_options(options)
    if options.clock and options.backend in _UNCOUNTED:
        raise InputError(f"--clock needs cycles, and the backend {options.backend} counts none: "
                         f"--backend rtl counts them, `xymac explore --quick` predicts them")
    take_clock(options)
    check_waves(options)
    check_jobs(options, network)
    classes = read_names(options.classes, network)
    images = read_inputs(options.images, network, options.limit, options.pixels)
    count = images.count
    console.print(f"{network.name}: {plural(len(network.layers), 'layer')}, "
                  f"{plural(count, 'image')}, backend {options.backend}, size {options.size}"
                  f"{', via bus' if options.via == 'bus' else ''}", markup=False)
    if images.reading:
        console.print(f"Inputs: {images.reading}", markup=False)
    inference = classify_images(options, network, images, extra, console)
    costs = layer_costs(network, inference, find_size(options.size))
    _print_layers(options, console, costs)
    for line in answer_lines(network, inference.outputs, images, classes):
        console.print(line, markup=False, soft_wrap=True)
    console.print(verdict(options.backend, network, inference), markup=False, soft_wrap=True)
    if inference.cycles:
        console.print(pace(options.backend, inference))
    traffic = None
    if options.backend != GOLDEN:
        traffic = _print_traffic(options, network, costs, console)
    _write_files(options, network, inference, costs, traffic)
    return int(inference.difference is not None)


COMMAND = Command(
    __doc__,
    example="xymac run host/examples/data/digits_cnn.npz "
            "--images host/examples/data/digits_images.npz --limit 10",
    add_arguments=_add_arguments, execute=_execute)

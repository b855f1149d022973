# SPDX-License-Identifier: Apache-2.0
"""``xymac evaluate``: accuracy of a network on labelled inputs, and beside its float network."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from xymac.host.accuracy.data import load_labelled, read_classes
from xymac.host.accuracy.layers import measure_layers
from xymac.host.accuracy.reference import FloatModel
from xymac.host.accuracy.score import check_labels, class_scores, index_scores, score
from xymac.host.cli.show.confusion import confusion_figure, confusion_lines
from xymac.host.cli.show.evaluated import (
    Evaluation,
    evaluation_json,
    float_lines,
    noise_table,
    score_lines,
)
from xymac.host.cli.show.figure import check_figure, save_figure
from xymac.host.cli.show.report import verdict
from xymac.host.errors import InputError, suggest
from xymac.host.files import check_writable
from xymac.host.files.reading import read_file
from xymac.host.network.inference import each_input, is_index
from xymac.host.network.inputs.values import dequantise
from xymac.host.network.load import load_model
from xymac.host.plural import plural
from xymac.host.tflite.reader import read_model, read_outline

from .classify import add_jobs, check_jobs, classify_images
from .command import GOLDEN, Command, add_backend, add_json, add_plot, device_options, positive
from .inputs import add_pixels
from .progress import show_progress
from .results import save_json

__all__ = ["COMMAND"]

_SEED  = 1   # of the sample
_NOISE = 16  #: Inputs of the comparison layer by layer.


def _add_arguments(parser):
    parser.add_argument("network", metavar="NET", help="a .tflite file, or an .npz network file")
    parser.add_argument("--data", metavar="F", required=True,
                        help="labelled inputs: a folder of image files with a folder for each "
                             "class, an .npz file with images and labels (or x and y), or inputs "
                             "as for `xymac run --images` with --labels")
    parser.add_argument("--labels", metavar="F",
                        help="labels of the inputs: .csv with the columns file and label, or label "
                             "alone in the order of the inputs, of files by name with numbers by "
                             "value: 2.png before 10.png; .npy; or .npz with labels (default: "
                             "those of the data)")
    parser.add_argument("--classes", metavar="F.txt",
                        help="names of the classes, a line each, class 0 first (default: labels "
                             "that are numbers are class numbers, others are numbered in "
                             "alphabetical order)")
    parser.add_argument("--output", metavar="NAME",
                        help="output with a score for each class (default: the last output)")
    parser.add_argument("--float", metavar="F.tflite", dest="reference",
                        help="the float network, before it was quantised: its accuracy, and the "
                             f"noise of every layer over {_NOISE} inputs; needs LiteRT (the extra "
                             f"float)")
    parser.add_argument("--sample", metavar="N", type=positive,
                        help="only N inputs, drawn with a fixed seed")
    parser.add_argument("--reset-states", action="store_true",
                        help="start every input with the initial states")
    add_pixels(parser)
    add_backend(parser, GOLDEN)
    add_jobs(parser)
    add_json(parser)
    add_plot(parser, "the confusion matrix")


def _draw(images, count):
    """``count`` Images, or all, in their order."""
    if count is None or count >= images.count:
        return images
    chosen = np.random.default_rng(_SEED).choice(images.count, count, replace=False)
    return images.take(sorted(chosen))


def _output_place(network, name):
    """An output's index among a Network's outputs."""
    if name is None:
        return len(network.outputs) - 1
    if name not in network.output_names:
        raise InputError(f"{network.name} has no output {name!r}: --output must be one of "
                         f"{', '.join(network.output_names)}"
                         f"{suggest(name, network.output_names)}")
    return network.output_names.index(name)


def _gives_index(network, place):
    """Whether an output is the index of a class: a single int32 element without a scale."""
    blank = network.values[network.outputs[place]]
    return is_index(blank.data) and dequantise(blank.data, blank) is None


def _index_classes(network, number):
    """Classes of an index, value ``number``: elements of the value in which it is an index."""
    while number >= network.first and network.values[number].data.size == 1:
        number = network.nodes[number - network.first].sources[0]
    return network.values[number].data.size


def _scores(network, place, arrays):
    """Class scores, (count, classes), from an output's elements."""
    number = network.outputs[place]
    stack  = np.stack(arrays)
    if _gives_index(network, place):
        return index_scores(stack.reshape(-1), _index_classes(network, number))
    values = dequantise(stack, network.values[number])
    if network.values[number].shape[:1] == (1,):
        stack  = stack[:, 0]
        values = None if values is None else values[:, 0]
    maker  = network.operators[number - network.first] if number >= network.first else ""
    return class_scores(f"Output {network.output_names[place]!r} of {network.name}",
                        stack if values is None else values, maker == "LOGISTIC")


def _compare_float(options, network, images, place, subject, console):
    """The float network's Score, and LayerNoise for every layer."""
    if not network.numbers:
        raise InputError(f"--float needs a .tflite file, not {options.network}")
    if _gives_index(network, place):
        raise InputError(f"--float needs a score for each class, and output "
                         f"{network.output_names[place]!r} of {network.name} is the index of a "
                         f"class; --output names another one")
    reference   = FloatModel(options.reference)
    float_model = read_outline(read_file(options.reference))
    reference.check(network)
    inputs = [*each_input(images.data)]
    with show_progress(console, "float network", len(inputs)) as advance:
        outputs = []
        for arrays in inputs:
            outputs.append(reference.run(*map(dequantise, arrays, network.inputs))[place][0])
            advance()
    scores = score(subject, images.labels, class_scores(
        f"Output {place} of {options.reference}", np.stack(outputs),
        network.operators[network.outputs[place] - network.first] == "LOGISTIC"))
    spread = [inputs[index] for index in np.linspace(
        0, len(inputs) - 1, min(_NOISE, len(inputs))).astype(int)]
    with show_progress(console, "layer by layer", len(spread)) as advance:
        return scores, measure_layers(read_model(read_file(options.network)), float_model,
                                      reference, spread, advance)


def _check_files(options):
    if options.plot:
        check_figure(options.plot)
    if options.json:
        check_writable(options.json)


def _execute(options, console):
    _check_files(options)
    network = load_model(options.network)
    classes = read_classes(options.classes) if options.classes else ()
    place   = _output_place(network, options.output)
    count   = _scores(network, place, [network.values[network.outputs[place]].data]).shape[1]
    extra   = device_options(options)
    check_jobs(options, network)
    images  = _draw(load_labelled(Path(options.data), network, labels=options.labels,
                                  classes=classes, pixels=options.pixels), options.sample)
    subject = f"Labels in {options.labels or options.data}"
    names   = _names(images.classes, count)
    check_labels(subject, images.labels, count)
    console.print(f"{network.name}: {plural(images.count, 'input')} of {options.data}, backend "
                  f"{options.backend}" + f", size {options.size}" * (options.backend != GOLDEN),
                  markup=False, soft_wrap=True)
    if images.reading:
        console.print(f"Inputs: {images.reading}", markup=False, soft_wrap=True)
    inference = classify_images(options, network, images, extra, console)
    scores    = _scores(network, place, [outputs[place] for outputs in inference.outputs])
    result    = Evaluation(network, images, inference,
                           score(subject, images.labels, scores,
                                 is_ranked=not _gives_index(network, place)), names)
    if options.reference:
        floats, noise = _compare_float(options, network, images, place, subject, console)
        result = replace(result, floats=floats, noise=noise)
    return _report(options, result, console)


def _names(classes, count):
    """A name for each class: its number unless the names are known."""
    if classes and len(classes) != count:
        raise InputError(f"Names of classes must be {count}, as many as the output has, not "
                         f"{len(classes)} ({', '.join(classes[:10])}): --classes names them all")
    return classes or tuple(map(str, range(count)))


def _report(options, result, console):
    for line in (*confusion_lines(result.score, result.names, console.width),
                 *score_lines(result)):
        console.print(line, markup=False, soft_wrap=True)
    if result.floats is not None:
        console.print(noise_table(result.noise, console.width))
        for line in float_lines(result):
            console.print(line, markup=False, soft_wrap=True)
    console.print(verdict(options.backend, result.network, result.inference), markup=False,
                  soft_wrap=True)
    if options.plot:
        save_figure(options.plot, confusion_figure(result.score, result.names,
                                                   result.network.name))
    if options.json:
        save_json(options.json, evaluation_json(options, result))
    return int(result.inference.difference is not None)


COMMAND = Command(
    __doc__,
    example="xymac evaluate host/examples/data/digits_cnn.tflite "
            "--data host/examples/data/digits_pixels.npz",
    add_arguments=_add_arguments, execute=_execute)

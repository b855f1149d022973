"""Classify images with a network on a device, every layer compared with the golden kernels."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

import golden
from host.plan.plan import Plan
from host.plan.run import layer_counters

__all__ = ["Difference", "Inference", "classify"]


@dataclass(frozen=True)
class Difference:
    """First result of a device that is not the golden one.

    Parameters
    ----------
    image, layer : int
    what : str, "element (0, 1, 2)", "cell state (0,)" or "overflow flag"
    expected, actual : int or bool
    """

    image:    int
    layer:    int
    what:     str
    expected: int
    actual:   int


@dataclass
class Inference:
    """What ``classify`` found.

    Parameters
    ----------
    predictions : list of int, index of the highest output of every image
    difference : Difference or None, always None without a device
    layers : list of counters by name, one dict a layer, of the last image; empty without a device
    compared : int, layers of every image that could be compared with golden
    cycles, seconds : of all images on the device
    """

    predictions: list = field(default_factory=list)
    difference:  Difference | None = None
    layers:      list = field(default_factory=list)
    compared:    int = 0
    cycles:      int = 0
    seconds:     float = 0.0


def classify(network, images, *, device=None, progress=None):
    """Classify ``images`` (count, *input shape); returns an Inference.

    ``device`` is a Device, or None for the golden kernels alone; ``progress()`` is called after
    each image. ValueError if the network does not fit the device; DeviceError if a run fails.
    """
    plan = None
    if device is not None:
        plan = Plan(device.config, network.nodes, network.values[0])
        plan.load(device)
    found = Inference()
    for index, image in enumerate(images):
        results = _golden_results(network, image)
        scores = results[-1].output
        if device is not None:
            scores = _run_image(device, plan, network.tensor(image), index, results, found)
        found.predictions.append(int(np.argmax(scores.data)))
        if progress is not None:
            progress()
    return found


def _golden_results(network, image):
    values, results = [network.tensor(image)], []
    for node in network.nodes:
        results.append(golden.run(node.layer, *(values[number] for number in node.sources)))
        values.append(results[-1].output)
    return results


def _run_image(device, plan, x, index, results, found):
    """Run one image on the device, add to ``found``, return the last output."""
    start = perf_counter()
    run = plan.run(device, x)
    found.seconds += perf_counter() - start
    found.cycles += run.result.counters["cycles"]
    found.layers = layer_counters(plan, run.result)
    found.compared = sum(output is not None for output in run.outputs)
    if found.difference is None:
        found.difference = _first_difference(index, results, run)
    return run.output


def _first_difference(image, results, run):
    for layer, (result, output, cell, overflow) in enumerate(
            zip(results, run.outputs, run.cells, run.overflows, strict=True)):
        for what, wanted, found in (("element", result.output, output),
                                    ("cell state", result.cell, cell)):
            if found is not None and found != wanted:
                where = tuple(int(i) for i in np.argwhere(wanted.data != found.data)[0])
                return Difference(image, layer, f"{what} {where}", int(wanted.data[where]),
                                  int(found.data[where]))
        if overflow != result.overflow:
            return Difference(image, layer, "overflow flag", int(result.overflow), int(overflow))
    return None

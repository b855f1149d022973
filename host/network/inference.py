"""Classify images with a network on a device, every layer compared with the golden kernels."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

import golden
from host.errors import translate_refusals
from host.plan.run import layer_counters
from host.plan.tiled import make_plan

__all__ = ["Difference", "ImageRun", "Inference", "classify", "load_plan", "run_image"]


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


@dataclass(frozen=True)
class ImageRun:
    """One image; the fields are as those of ``Inference``."""

    prediction: int
    difference: Difference | None = None
    layers:     tuple = ()
    compared:   int = 0
    cycles:     int = 0
    seconds:    float = 0.0
    remarks:    tuple = ()


@dataclass
class Inference:
    """What a network made of images, those added with ``add``.

    Parameters
    ----------
    predictions : list of int, index of the highest output of every image
    difference : Difference or None, the first one; always None without a device
    layers : counters by name, one dict a layer, of the last image; empty without a device
    compared : int, layers of every image that could be compared with golden
    cycles : int, of all images on the device
    seconds : float, the device was at work for all images
    elapsed : float, seconds from the first image to the last one, golden kernels included
    jobs : int, processes that shared the images
    remarks : str, one a layer: what became of the order of elements, what the host did between
        programs; empty without a device
    """

    predictions: list = field(default_factory=list)
    difference:  Difference | None = None
    layers:      tuple = ()
    compared:    int = 0
    cycles:      int = 0
    seconds:     float = 0.0
    elapsed:     float = 0.0
    jobs:        int = 1
    remarks:     tuple = ()

    def add(self, run):
        """Add the ImageRun of the next image."""
        self.predictions.append(run.prediction)
        self.difference = self.difference or run.difference
        self.layers, self.compared, self.remarks = run.layers, run.compared, run.remarks
        self.cycles  += run.cycles
        self.seconds += run.seconds


def classify(network, images, *, device=None, progress=None):
    """Classify ``images`` (count, *input shape); returns an Inference.

    ``device`` is a Device, or None for the golden kernels alone; ``progress()`` is called after
    each image. InputError if the network does not fit the device; DeviceError if a run fails.
    """
    plan = load_plan(network, device)
    inference, begin = Inference(), perf_counter()
    for index, image in enumerate(images):
        inference.add(run_image(network, image, index, device, plan))
        if progress is not None:
            progress()
    inference.elapsed = perf_counter() - begin
    return inference


def load_plan(network, device):
    """The Plan of a network, loaded on a Device; None without a device. InputError if there is no
    such plan."""
    if device is None:
        return None
    config = device.config
    with translate_refusals(f"{network.name} on size {config.name}", OverflowError, ValueError):
        plan = make_plan(config, network.nodes, network.values[0])
    plan.load(device)
    return plan


def run_image(network, image, index, device=None, plan=None):
    """Classify image number ``index``: an ImageRun. ``plan`` is loaded on the ``device``."""
    results = _golden_results(network, image)
    if device is None:
        return ImageRun(_highest(results[-1].output))
    start   = perf_counter()
    run     = plan.run(device, network.tensor(image))
    seconds = perf_counter() - start
    return ImageRun(_highest(run.output), _first_difference(index, results, run),
                    tuple(layer_counters(plan, run.result)),
                    sum(output is not None for output in run.outputs),
                    run.result.counters["cycles"], seconds,
                    tuple(step.remarks for step in plan.steps))


def _highest(scores):
    return int(np.argmax(scores.data))


def _golden_results(network, image):
    values, results = [network.tensor(image)], []
    for name, node in zip(network.names, network.nodes, strict=True):
        with translate_refusals(f"Layer {name}", MemoryError, OverflowError):
            results.append(golden.run(node.layer, *(values[number] for number in node.sources)))
        values.append(results[-1].output)
    return results


def _first_difference(image, results, run):
    for layer, (result, output, cell, overflow) in enumerate(
            zip(results, run.outputs, run.cells, run.overflows, strict=True)):
        for what, wanted, actual in (("element", result.output, output),
                                     ("cell state", result.cell, cell)):
            if actual is not None and actual != wanted:
                where = tuple(int(i) for i in np.argwhere(wanted.data != actual.data)[0])
                return Difference(image, layer, f"{what} {where}", int(wanted.data[where]),
                                  int(actual.data[where]))
        if overflow != result.overflow:
            return Difference(image, layer, "overflow flag", int(result.overflow), int(overflow))
    return None

# SPDX-License-Identifier: Apache-2.0
"""Classify images on a device; golden kernels check every layer."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from xymac.hdl.isa import COUNTERS
from xymac.host.errors import check_type
from xymac.host.files.html import html_table
from xymac.host.plural import plural

from .session import Session

__all__ = ["ImageRun", "Inference", "class_of", "classify", "each_input", "is_index",
           "run_image"]


@dataclass(frozen=True)
class ImageRun:
    """Results of a single image; fields as in ``Inference``."""

    prediction: int
    outputs:    tuple
    difference: object = None
    layers:     tuple = ()
    compared:   int = 0
    cycles:     int = 0
    seconds:    float = 0.0
    facts:      tuple = ()


@dataclass(repr=False)
class Inference:
    """Results of many images; ``add`` appends an image.

    Parameters
    ----------
    predictions : list of int, per image the class in the last output; see ``class_of``
    outputs : list of tuples of arrays, network outputs per image, from the device if given
    difference : Difference, the first; None if all layers agree, and without a device
    layers : tuple of dicts, counters per layer for the last image; empty without a device
    compared : int, number of layers per image compared with golden
    cycles : int, device cycles for all images
    seconds : float, device time for all images
    elapsed : float, seconds from the first image to the last, golden kernels included
    jobs : int, process count
    facts : tuple of LayerFacts per layer; empty without a device
    """

    predictions: list = field(default_factory=list)
    outputs:     list = field(default_factory=list)
    difference:  object = None
    layers:      tuple = ()
    compared:    int = 0
    cycles:      int = 0
    seconds:     float = 0.0
    elapsed:     float = 0.0
    jobs:        int = 1
    facts:       tuple = ()

    def __repr__(self):
        """Count of images, comparison and cycles in a line."""
        return f"<Inference: {self._summary()}>"

    def _repr_html_(self):
        """The predictions as a table, for notebooks."""
        return html_table(self._summary(), ("image", "class"),
                          enumerate(self.predictions))

    def _summary(self):
        compared = ("equal to golden" if self.difference is None else
                    f"differs from golden first at image {self.difference.image}, layer "
                    f"{self.difference.layer}") if self.facts else "golden alone"
        return (f"{plural(len(self.predictions), 'image')}, {compared}"
                + f", {self.cycles:,} cycles" * bool(self.cycles))

    def add(self, run):
        """Add the next image's ImageRun."""
        self.predictions.append(run.prediction)
        self.outputs.append(run.outputs)
        self.difference = self.difference or run.difference
        self.layers, self.compared, self.facts = run.layers, run.compared, run.facts
        self.cycles  += run.cycles
        self.seconds += run.seconds


def classify(network, images, *, device=None, progress=None, reset_states=False):
    """A Network's Inference on ``images``, an array or a tuple of arrays for several inputs.

    An array has shape ``(count, *input shape)``. ``device`` is a Device, or None for only the
    golden kernels; ``progress()`` is called after each image. States persist between images unless
    ``reset_states``. InputError if the network does not fit the device; DeviceError if a run fails.
    """
    session = Session(network, device, reset_states=reset_states)
    inference, begin = Inference(), perf_counter()
    for index, inputs in enumerate(each_input(images)):
        inference.add(run_image(session, inputs, index))
        if progress is not None:
            progress()
    inference.elapsed = perf_counter() - begin
    return inference


def each_input(images):
    """Yield a tuple of input arrays per image; InputError for other types."""
    arrays = images if isinstance(images, tuple) else (images,)
    for array in arrays:
        check_type("images", array, np.ndarray, list, hint=": Images have arrays as data")
    for image in zip(*arrays, strict=True):
        yield tuple(map(np.asarray, image))  # array scalars become arrays


def is_index(output):
    """Whether an output array is the index of a class, as ARG_MAX gives it: one int32 element."""
    return output.size == 1 and output.dtype == np.int32


def class_of(output):
    """The class in an output array: the index in it, or else that of its highest element."""
    return int(output.item() if is_index(output) else np.argmax(output))


def run_image(session, inputs, index):
    """Run a Session on the arrays of image number ``index``: an ImageRun."""
    run     = session.run(*inputs, number=index)
    outputs = tuple(value.data for value in run.outputs)
    answer  = class_of(outputs[-1])
    if session.device is None:
        return ImageRun(answer, outputs)
    return ImageRun(answer, outputs, run.difference, run.counters, run.compared,
                    sum(counters[COUNTERS[0]] for counters in run.counters), run.seconds,
                    session.facts)

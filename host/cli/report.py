# SPDX-License-Identifier: Apache-2.0
"""Sentences of ``xymac run``."""

import numpy as np

from xymac.host.files.text import plain
from xymac.host.network.inputs.values import dequantise

__all__ = ["describe_traffic", "output_lines", "pace", "prediction_lines", "verdict"]

SHOWN = 30  #: Images whose label and prediction are shown; wrong ones always are.
TOP   = 5   #: Number of output elements to show.
_NAMES = {"machine": "Machine", "rtl": "RTL", "serial": "Board"}


def output_lines(network, outputs):
    """Lines on the outputs of every image: the highest elements of a vector with their real values.

    Other outputs show their shape and range.
    """
    if not network.numbers:  # a single scale: the element order is enough
        return
    for image, arrays in enumerate(outputs[:SHOWN]):
        for number, name, data in zip(network.outputs, network.output_names, arrays, strict=True):
            shown = f"image {image}" + (f", {plain(name)}" if len(arrays) > 1 else "")
            yield f"{shown}: {_describe(data, network.values[number])}"
    if len(outputs) > SHOWN:
        yield f"... ({len(outputs) - SHOWN} more)"


def _describe(data, blank):
    """The highest elements of an output, or its range."""
    values = dequantise(data, blank)
    values = data if values is None else values
    if data.ndim and data.size != data.shape[-1]:
        return (f"{'x'.join(map(str, data.shape))} values from {values.min():.6g} to "
                f"{values.max():.6g}")
    flat, raw = values.reshape(-1), data.reshape(-1)
    top = np.argsort(-flat.astype(np.float64), kind="stable")[:TOP]
    return ", ".join(f"{index} ({flat[index]:.6g})" if raw.dtype.kind == "f" else
                     f"{index} ({flat[index]:.6g}, element {raw[index]})" for index in top)


def prediction_lines(predictions, labels):
    """Lines with predictions next to labels, every wrong prediction, and the accuracy."""
    shown = predictions[:SHOWN]
    if labels is None:
        yield f"predicted  {' '.join(map(str, shown))}"
        return
    more = f"  ... ({len(predictions) - SHOWN} more)" if len(predictions) > SHOWN else ""
    yield f"label      {' '.join(map(str, labels[:SHOWN]))}{more}"
    yield f"predicted  {' '.join(map(str, shown))}"
    wrong = [(index, label, predicted) for index, (label, predicted)
             in enumerate(zip(labels, predictions, strict=True)) if label != predicted]
    if wrong:
        yield "wrong      " + ", ".join(f"image {index}: {label} as {predicted}"
                                        for index, label, predicted in wrong)
    right = len(predictions) - len(wrong)
    yield f"{right} of {len(predictions)} right ({right / len(predictions):.1%})"


def pace(backend, inference):
    """Sentence on cycles and time of an Inference on a device with a clock."""
    cycles = inference.cycles
    if backend == "serial":
        return f"{cycles:,} cycles in {inference.seconds:.2f} s, what went over the port included"
    rate = f"{cycles / inference.seconds:,.0f} simulated cycles a second"
    if inference.jobs == 1:
        return f"{cycles:,} cycles in {inference.seconds:.2f} s: {rate}"
    return (f"{cycles:,} cycles in {inference.elapsed:.2f} s in {inference.jobs} processes: "
            f"{cycles / inference.elapsed:,.0f} simulated cycles a second, {rate.split()[0]} in "
            f"each")


def describe_traffic(traffic, cost):
    """Sentence on the Traffic of one input next to the total LayerCost."""
    if traffic is None:
        return "Words of the host are not counted: it computes between programs of the core"
    return traffic.describe(cost.cycles if cost.counters is not None else None)


def verdict(backend, network, inference):
    """Sentence on whether the backend gave the golden results."""
    if backend == "golden":
        return "Computed by the golden kernels alone"
    name, difference = _NAMES.get(backend, backend), inference.difference
    if difference is None:
        return (f"{name} = golden, bit for bit: {inference.compared} of {len(network.layers)} "
                f"layers of {len(inference.predictions)} images compared")
    title = network.nodes[difference.layer].title
    return (f"{name} differs from golden first at image {difference.image}, "
            f"{title[0].lower()}{title[1:]}, {difference.what}: {difference.actual}, "
            f"expected {difference.expected}")

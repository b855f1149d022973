# SPDX-License-Identifier: Apache-2.0
"""Case quantities, for limits and coverage.

==============================  =================================================================
quantity                        value
==============================  =================================================================
elements, channels              input sizes; for requantise sums
outputs                         output channels
height, width                   image sizes, elements
kernel_height, kernel_width     kernel sizes, without dilation
stride_height, stride_width     elements
dilation_height, dilation_width elements
dilation                        elements, the larger direction
batches                         images, rows or sequences of the input, tflite
padding                         elements, largest side
bias                            "none", "zero" or "other"
scales                          1, or "each output"
input_zero, output_zero         zero points, 0 if a dialect has none
low, high                       clip limits
activation                      "none", "relu", "gen" ..., as the dialect calls it
layout                          "CHW" or "HWC", mli-1
rounding, build                 for mli-1 and mli-2: "convergent", "up"; the library build
multiplier                      the first multiplier; a limit binds all channels
shift                           the first shift, direction as in the dialect; binds all channels
dimensions                      input rank, for operations that move elements
shape                           their first input's shape, a tuple
axis                            concatenated dimension, from 0 on
steps                           time steps, for lstm, rnn and gru
layers                          network layers
input, weights                  elements, which must all be within the limit; for requantise
                                the input is the sums
==============================  =================================================================
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.mli1 import Layout

from .accumulate import SUMMING
from .moved import MOVES
from .operands import operands_of

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["QUANTITIES", "facts_of"]

QUANTITIES = (
    "elements", "channels", "outputs", "height", "width", "kernel_height", "kernel_width",
    "stride_height", "stride_width", "dilation", "dilation_height", "dilation_width", "padding",
    "batches", "bias", "scales", "input_zero", "output_zero", "low", "high", "multiplier", "shift",
    "activation", "layout", "rounding", "build", "dimensions", "shape", "axis", "steps", "layers",
    "input", "weights")

_IMAGES = ("conv2d", "depthwise_conv2d", "average_pool", "max_pool")


def facts_of(case: Case) -> dict[str, Any]:
    """A Case's quantities, a dict; inapplicable quantities are missing."""
    if case.operation == "network":
        return {"layers": len(case.layer.nodes)}
    operands = operands_of(case)
    first    = operands["acc" if "acc" in operands else "x"]
    facts    = {"elements": int(first.size), "channels": int(first.shape[-1])}
    if case.operation in SUMMING:
        facts["height"] = first.shape[0]
    if case.operation in _IMAGES:
        facts |= _image(case, operands)
    batches = _batches(case, first.shape)
    if batches is not None:
        facts["batches"] = batches
    if case.operation in MOVES:
        facts |= {"dimensions": first.ndim, "shape": tuple(first.shape)}
    facts |= {name: operands[name] for name in ("axis", "steps") if name in operands}
    if "weights" in operands:
        facts |= _weights(case, operands)
    for name, quantity in (("x_zero", "input_zero"), ("out_zero", "output_zero")):
        if name in operands:
            facts[quantity] = int(operands[name])
    facts |= {name: int(operands[name]) for name in ("low", "high") if name in operands}
    facts |= {name: int(np.ravel(operands[name])[0]) for name in ("multiplier", "shift")
              if name in operands}
    return facts | _options(case.layer)


def _options(layer):
    """A layer's enumeration values, by the documented quantity names."""
    options = {}
    for name, quantity in (("activation", "activation"), ("relu", "activation"),
                           ("act", "activation"), ("rounding", "rounding")):
        if isinstance(getattr(layer, name, None), Enum):
            options[quantity] = getattr(layer, name).name.lower()
    if isinstance(getattr(layer, "layout", None), Layout):
        options["layout"] = layer.layout.name
    if isinstance(getattr(layer, "build", None), Enum):
        options["build"] = layer.build.value
    return options


def _image(case, operands):
    """Image and window quantities."""
    layer, shape = case.layer, operands["x"].shape
    is_chw = case.dialect == "mli-1" and layer.layout is Layout.CHW
    channels, height, width = (shape if is_chw else
                               (shape[-1], *shape[-3:-1]))
    facts = {"channels": channels, "height": height, "width": width}
    for name in ("kernel", "stride"):
        facts |= {f"{name}_height": operands[name][0], f"{name}_width": operands[name][1]}
    if "dilation" in operands:
        facts |= {f"dilation_{name}": size for name, size
                  in zip(("height", "width"), operands["dilation"], strict=True)}
    return facts | {"padding": max(operands.get("pad", (0,))),
                    "dilation": max(operands.get("dilation", (1,)))}


def _batches(case, shape):
    """Images, rows or sequences of an input of ``shape``; None for dialects without them."""
    if not case.dialect.startswith("tflm"):
        return None
    if case.operation == "lstm":
        return shape[1 if case.layer.time_major else 0]
    return shape[0] if case.operation in (*_IMAGES, "fully_connected", "svdf") else None


def _weights(case, operands):
    """Weight and bias quantities."""
    outputs = case.shape
    is_chw  = getattr(case.layer, "layout", None) is Layout.CHW and len(outputs) == 3
    scales  = np.ravel(operands.get("multiplier", (1,))).size
    facts   = {"outputs": outputs[0] if is_chw else outputs[-1],
               "scales": 1 if scales == 1 else "each output"}
    bias = operands.get("bias")
    return facts | {"bias": "none" if bias is None else "other" if bias.any() else "zero"}

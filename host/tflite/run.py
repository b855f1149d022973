# SPDX-License-Identifier: Apache-2.0
"""Compute a TensorFlow Lite file with golden."""

from dataclasses import replace

import numpy as np

from xymac.golden import run
from xymac.golden.result import Result
from xymac.host.errors import InputError, check_type, translate_refusals

from .model import Model
from .network import convert_model, title_of

__all__ = ["run_model"]


def run_model(model, *inputs):
    """Compute a Model with initial states and variables.

    Returns a dict of Results by tensor number, inputs and constants included. InputError, a single
    sentence, if ``convert_model`` or an operator refuses, and for inputs with wrong number, type or
    shape.

    Parameters
    ----------
    inputs : numpy arrays with the types and shapes of the Model's inputs
    """
    check_type("model", model, Model, hint=": read_model reads one of a file's bytes")
    network = convert_model(model)
    if len(inputs) != len(network.inputs):
        raise InputError(f"Inputs must be {len(network.inputs)}, not {len(inputs)}")
    values = [_fill(number, *pair) for number, pair
              in enumerate(zip(network.inputs, inputs, strict=True))]
    firsts = (variable.first for variable in network.variables)
    values = [Result(value, overflow=False) for value in (*values, *firsts, *network.constants)]
    written = network.tensors[len(values):]
    for node, number, tensor in zip(network.nodes, network.operators, written, strict=True):
        with translate_refusals(title_of(model, number, tensor), OverflowError, TypeError,
                                ValueError):
            values.append(run(node.layer, *(values[source].output for source in node.sources)))
    # The first copy of a tensor wins.
    return dict(zip(reversed(network.tensors), reversed(values), strict=True))


def _fill(number, blank, data):
    """Input ``number`` as zeros in its format."""
    if not isinstance(data, np.ndarray):
        raise InputError(f"Input {number} must be a numpy array, not {type(data).__name__}")
    if data.dtype != blank.data.dtype or data.shape != blank.shape:
        raise InputError(f"Input {number} must be {blank.data.dtype} of shape {blank.shape}, "
                         f"not {data.dtype} of shape {data.shape}")
    return replace(blank, data=data)

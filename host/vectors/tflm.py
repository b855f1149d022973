# SPDX-License-Identifier: Apache-2.0
"""tflite-micro vector cases converted to golden layers and their inputs.

A case is a single operator. Its config holds ``options`` by schema name; ``tensors``, a list of
the Tensor fields in a file and whether each is ``constant``; and its tensor numbers: ``inputs`` (-1
for a missing input) and ``outputs``. Defaults are omitted. Inputs and constants are named by tensor
number; the expected array ``out`` belongs to the output number ``output``.
"""

from dataclasses import fields

import numpy as np

from xymac.host.errors import InputError
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.fields import Choice
from xymac.host.tflite.model import TYPES, Model, Operator, Tensor
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.prepare import check_model
from xymac.host.tflite.signatures import SIGNATURES

from .files import VectorError

__all__ = ["DIALECT", "VARIANT", "build_layer", "describe_model", "model_of"]

DIALECT = "tflm"
VARIANT = "reference-kernels"  #: Variant with the reference kernels' expected outputs.
_KEYS   = {"options", "tensors", "inputs", "outputs", "output"}


def describe_model(model, output):
    """Case config for an output of a single-operator Model, and its constants by tensor number."""
    [operator] = model.operators
    tensors, arrays = [], {}
    for number, tensor in enumerate(model.tensors):
        entry = {
            "name": tensor.name, "type": tensor.type.name, "shape": list(tensor.shape),
            "scales": list(tensor.scales), "zero_points": list(tensor.zero_points),
            "dimension": tensor.dimension, "constant": tensor.data is not None,
            "is_variable": tensor.is_variable}
        tensors.append({key: value for key, value in entry.items() if value})
        if tensor.data is not None:
            arrays[str(number)] = tensor.data
    options = {} if operator.options is None else {
        field.name: _plain(value) for field in fields(operator.options)
        if (value := getattr(operator.options, field.name)) != field.default}
    return {"options": options, "tensors": tensors, "inputs": list(operator.inputs),
            "outputs": list(operator.outputs), "output": output}, arrays


def _plain(value):
    """An option's JSON value."""
    if hasattr(value, "name"):
        return value.name
    return [int(each) for each in value] if isinstance(value, tuple) else value


def build_layer(case, variant, arrays):
    """The ``case`` layer, then its Tensors; None for an unknown function or ``variant``.

    VectorError if the case lacks its function's data; ValueError for values that the operator
    refuses.
    """
    if case.function not in SIGNATURES or variant != VARIANT:
        return None
    if "out" not in case.expected[variant]:
        raise VectorError(f"Case {case.id} has no expected output 'out' for {variant}")
    try:
        missing = sorted(_KEYS - case.config.keys())
        if missing:
            raise KeyError(missing[0])
        data  = {int(number): arrays[key] for number, key in case.inputs.items()}
        model = model_of(case, data)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise VectorError(f"Case {case.id} is incomplete: {error}") from error
    try:
        check_model(model)
        graph = convert_model(model)
    except InputError as error:
        raise ValueError(str(error)) from error
    values = [type(blank)(_fit(case, blank, data.get(number)), blank.quantisation)
              for blank, number in zip(graph.inputs, model.inputs, strict=True)]
    node, values = graph.nodes[-1], [*values, *graph.constants]
    return node.layer, *(values[number] for number in node.sources)


def _fit(case, blank, data):
    if data is None or data.shape != blank.shape or data.dtype != blank.data.dtype:
        given = "nothing" if data is None else f"{data.dtype} of shape {data.shape}"
        raise VectorError(f"Case {case.id} must have an input of {blank.data.dtype} of shape "
                          f"{blank.shape}, not {given}")
    return data


def model_of(case, data):
    """A case's single-operator Model; ``data`` has arrays by tensor number."""
    config  = case.config
    tensors = tuple(_tensor(entry, data.get(number))
                    for number, entry in enumerate(config["tensors"]))
    kind    = SIGNATURES[case.function].options
    options = kind and kind(**{
        field.name: _option(field, config["options"][field.name]) for field in fields(kind)
        if field.name in config["options"]})
    operator = Operator(case.function, tuple(config["inputs"]), tuple(config["outputs"]), options)
    given    = tuple(dict.fromkeys(
        number for number in operator.inputs
        if number >= 0 and tensors[number].data is None and not tensors[number].is_variable))
    return Model(tensors, (operator,), given, (operator.outputs[config["output"]],))


def _tensor(entry, data):
    kind, is_constant = TENSOR_TYPE[entry["type"]], entry.get("constant", False)
    if is_constant:
        data = np.asarray(data)
        if data.dtype != TYPES[kind]:
            raise TypeError(f"{entry['name']} must be {TYPES[kind]}, not {data.dtype}")
    return Tensor(entry["name"], tuple(entry.get("shape", ())), kind,
                  tuple(entry.get("scales", ())), tuple(entry.get("zero_points", ())),
                  entry.get("dimension", 0), data if is_constant else None,
                  entry.get("is_variable", False))


def _option(field, value):
    if isinstance(field.type, Choice):
        return type(field.default)[value]
    return tuple(value) if isinstance(value, list) else value

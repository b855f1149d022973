# SPDX-License-Identifier: Apache-2.0
"""Load a Network from a TensorFlow Lite file."""

from dataclasses import replace
from pathlib import Path

from xymac.host.errors import InputError, translate_refusals
from xymac.host.files.foreign import check_network_file
from xymac.host.files.reading import read_file
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.network import COPY, convert_model, title_of
from xymac.host.tflite.reader import IDENTIFIER, read_model, read_outline

from .network import Network
from .tables import table_reals

__all__ = ["load_tflite", "network_of"]

#: Tensor types in a network without quantised values.
_REAL = {TENSOR_TYPE.FLOAT32, TENSOR_TYPE.INT32, TENSOR_TYPE.INT64, TENSOR_TYPE.BOOL}
#: Types of quantised weights.
_WEIGHTS = {TENSOR_TYPE.INT4, TENSOR_TYPE.INT8, TENSOR_TYPE.UINT8}


def load_tflite(path):
    """Read the Network in the file ``path``.

    InputError for a missing or damaged file, and for operators without a golden kernel.
    """
    path = Path(path)
    content = read_file(path)
    if content[4:8] != IDENTIFIER:
        check_network_file(path)
    with translate_refusals(str(path), RecursionError, MemoryError):
        try:
            model = read_model(content)
        except InputError as error:
            _check_quantised(path, content, None)
            raise InputError(f"{path}: {error}") from error
        _check_quantised(path, content, model)
        try:
            return network_of(model, path.stem)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error


def _check_quantised(path, content, model):
    """Raise InputError for a float32 network, in which the core has no part.

    The sentence tells files with quantised weights (weight-only, dynamic range) from others.
    ``model`` is the file's Model; None if the file is refused for another reason.
    """
    try:
        graph = model or read_outline(content)
    except InputError:
        return
    kinds = _kinds_of(graph, *(operator.outputs for operator in graph.operators))
    if TENSOR_TYPE.FLOAT32 not in kinds or not kinds <= _REAL:
        return
    read = _kinds_of(graph, *({*operator.inputs}.difference(graph.inputs)
                              for operator in graph.operators))
    if read & _WEIGHTS:
        raise InputError(f"{path} is a float32 network with quantised weights: quantise its "
                         f"activations as well, with a representative data set "
                         f"(docs/tutorial.md)")
    raise InputError(f"{path} is a float32 network: quantise it to int8 with a "
                     f"representative data set (docs/tutorial.md)")


def _kinds_of(graph, *lists):
    """The types of a graph's tensors in lists of tensor numbers."""
    return {graph.tensors[number].type for numbers in lists for number in numbers
            if 0 <= number < len(graph.tensors)}


def network_of(model, name):
    """The Network ``name`` (str) from a Model; layers keep their operator numbers.

    A table has the number of the QUANTIZE operator in its place.
    """
    graph = convert_model(model)
    nodes = tuple(replace(node, label=title_of(model, number, tensor)) for node, number, tensor
                  in zip(graph.nodes, graph.operators, graph.tensors[graph.first:], strict=True))
    return table_reals(Network(
        name, nodes, graph.inputs, tuple(model.tensors[number].name for number in model.inputs),
        graph.constants, graph.outputs,
        tuple("COPY" if number == COPY else model.operators[number].name
              for number in graph.operators),
        tuple(None if number == COPY else number for number in graph.operators), graph.variables))

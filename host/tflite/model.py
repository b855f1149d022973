# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow Lite file's tensors, operators and subgraphs as plain values."""

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.host.files.html import html_table

from .codes import TENSOR_TYPE

__all__ = ["ABSENT", "TYPES", "Model", "Operator", "Subgraph", "Tensor", "size_of"]

ABSENT = -1  #: Number of a missing input.

#: numpy dtypes of the tensor types; for INT4 the dtype of an unpacked element.
TYPES = {
    TENSOR_TYPE.INT8:    np.dtype("<i1"),
    TENSOR_TYPE.INT16:   np.dtype("<i2"),
    TENSOR_TYPE.INT32:   np.dtype("<i4"),
    TENSOR_TYPE.INT64:   np.dtype("<i8"),
    TENSOR_TYPE.FLOAT32: np.dtype("<f4"),
    TENSOR_TYPE.UINT8:   np.dtype("u1"),
    TENSOR_TYPE.BOOL:    np.dtype("?"),
    TENSOR_TYPE.INT4:    np.dtype("<i1"),
    TENSOR_TYPE.RESOURCE: np.dtype("<i4"),
}

_NAME = 60  #: Maximum characters of a name in a sentence.


@dataclass(frozen=True, eq=False, repr=False)
class Tensor:
    """A tensor: a value between operators, a constant, or a state.

    An element ``q`` has the real value ``scale * (q - zero_point)``. Tensors with equal fields and
    elements are equal.

    Parameters
    ----------
    name : str
    shape : tuple of int, outermost dimension first
    type : TENSOR_TYPE
    scales : tuple of float, float32 values: empty, a single scale, or a scale per index of
        ``dimension``
    zero_points : tuple of int, as many as scales
    dimension : int, dimension along which the scales lie
    data : read-only array of ``shape`` for a constant, else None
    is_variable : bool, whether it is a state that persists between invocations
    """

    name:        str
    shape:       tuple
    type:        TENSOR_TYPE
    scales:      tuple = ()
    zero_points: tuple = ()
    dimension:   int = 0
    data:        np.ndarray | None = None
    is_variable: bool = False

    def __eq__(self, other):
        return isinstance(other, Tensor) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        """Name, type and shape in a line, without scales and elements."""
        kind  = "constant " * (self.data is not None)
        shape = "x".join(map(str, self.shape)) or "scalar"
        return f"<Tensor {self.short_name}: {kind}{self.type.name} {shape}>"

    @property
    def _key(self):
        data = self.data
        return (self.name, self.shape, self.type, self.scales, self.zero_points, self.dimension,
                self.is_variable, None if data is None else (data.dtype, data.tobytes()))

    @property
    def short_name(self):
        """The name, shortened for a sentence."""
        return repr(self.name if len(self.name) <= _NAME else f"{self.name[:_NAME]}…")


@dataclass(frozen=True)
class Operator:
    """An operator.

    Parameters
    ----------
    name : str, schema name such as ``CONV_2D``
    inputs : tuple of int, tensor numbers; ``ABSENT`` for a missing input
    outputs : tuple of int, tensor numbers
    options : object from ``xymac.host.tflite.options``, or None
    version : int, operator version in the file
    """

    name:    str
    inputs:  tuple
    outputs: tuple
    options: object = None
    version: int = 1


@dataclass(frozen=True, repr=False)
class Subgraph:
    """Operators in execution order.

    Parameters
    ----------
    tensors : tuple of Tensor
    operators : tuple of Operator
    inputs, outputs : tuple of int, tensor numbers
    name : str
    """

    tensors:   tuple
    operators: tuple
    inputs:    tuple
    outputs:   tuple
    name:      str = ""

    def __repr__(self):
        """Counts, inputs and outputs in a line."""
        ends = [", ".join(repr(self.tensors[number])[8:-1] for number in numbers)
                for numbers in (self.inputs, self.outputs)]
        return (f"<{type(self).__name__}: {len(self.operators)} operators, "
                f"{ends[0] or 'no input'} to {ends[1] or 'no output'}>")

    def _repr_html_(self):
        """The operators as a table, for notebooks."""
        return html_table(repr(self)[1:-1], ("number", "operator", "inputs", "outputs"), (
            (str(number), operator.name,
             *(", ".join(repr(self.tensors[each])[8:-1] for each in tensors if each != ABSENT)
               for tensors in (operator.inputs, operator.outputs)))
            for number, operator in enumerate(self.operators)))


@dataclass(frozen=True, repr=False)
class Model(Subgraph):
    """A network: the file's first subgraph, and the subgraphs it calls.

    Parameters
    ----------
    description : str
    others : tuple of the other Subgraphs; None for a subgraph that no operator calls
    """

    description: str = ""
    others:      tuple = ()


def size_of(kind, shape):
    """Size in a file of a tensor with TENSOR_TYPE ``kind`` and ``shape``, bytes."""
    count = prod(shape)
    return -(-count // 2) if kind == TENSOR_TYPE.INT4 else count * TYPES[kind].itemsize

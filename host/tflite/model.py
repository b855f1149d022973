"""What a TensorFlow Lite file holds, as plain values."""

from dataclasses import dataclass
from math import prod

import numpy as np

from .codes import TENSOR_TYPE

__all__ = ["ABSENT", "TYPES", "Model", "Operator", "Subgraph", "Tensor", "size_of"]

ABSENT = -1  #: In the place of an input that an operator goes without.

#: numpy dtypes of the types that a tensor may have; of INT4 those of an element on its own.
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

_NAME = 60  #: Characters of a name that a sentence shows.


@dataclass(frozen=True, eq=False)
class Tensor:
    """One tensor: a value between operators, a constant, or a state.

    An element ``q`` stands for ``scale * (q - zero_point)``. Tensors are equal that would make the
    same file.

    Parameters
    ----------
    name : str
    shape : tuple of int, outermost dimension first
    type : TENSOR_TYPE
    scales : tuple of float, each exact in float32: none, one, or one an index of ``dimension``
    zero_points : tuple of int, as many
    dimension : int, along which the scales are if there are several
    data : read-only array of ``shape`` if it is a constant, else None
    is_variable : bool, whether it is a state that stays between invocations
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

    @property
    def _key(self):
        data = self.data
        return (self.name, self.shape, self.type, self.scales, self.zero_points, self.dimension,
                self.is_variable, None if data is None else (data.dtype, data.tobytes()))

    @property
    def short_name(self):
        """The name as a sentence shows it."""
        return repr(self.name if len(self.name) <= _NAME else f"{self.name[:_NAME]}…")


@dataclass(frozen=True)
class Operator:
    """One operator.

    Parameters
    ----------
    name : str, the schema's: ``CONV_2D``
    inputs : tuple of int, numbers of tensors; ``ABSENT`` where there is none
    outputs : tuple of int, numbers of tensors
    options : object of ``host.tflite.options``, or None for an operator without
    version : int, that the operator has in the file
    """

    name:    str
    inputs:  tuple
    outputs: tuple
    options: object = None
    version: int = 1


@dataclass(frozen=True)
class Subgraph:
    """Operators that follow one another in the order of their computation.

    Parameters
    ----------
    tensors : tuple of Tensor
    operators : tuple of Operator
    inputs, outputs : tuple of int, numbers of tensors
    name : str
    """

    tensors:   tuple
    operators: tuple
    inputs:    tuple
    outputs:   tuple
    name:      str = ""


@dataclass(frozen=True)
class Model(Subgraph):
    """One network: its first subgraph.

    Parameters
    ----------
    description : str
    others : tuple of Subgraph, those behind the first; None for one that nothing calls
    """

    description: str = ""
    others:      tuple = ()


def size_of(kind, shape):
    """Bytes of the elements of a tensor of a TENSOR_TYPE in a file."""
    count = prod(shape)
    return -(-count // 2) if kind == TENSOR_TYPE.INT4 else count * TYPES[kind].itemsize

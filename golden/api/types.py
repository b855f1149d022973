"""Structures and enumerations of MLI 1.x under their documented names."""

from dataclasses import dataclass, field
from enum import IntEnum
from math import prod

import numpy as np

__all__ = [
    "ENUMERATIONS", "MLI_CONCAT_MAX_TENSORS", "MLI_MAX_RANK", "describe", "dims", "dtype_of",
    "element_size", "elements", "is_count", "memory", "mli_avepool_cfg", "mli_concat_cfg",
    "mli_conv2d_cfg", "mli_element_params", "mli_element_type", "mli_fx_params",
    "mli_lstm_cell_cfg", "mli_padding2d_cfg", "mli_permute_cfg", "mli_point_to_subtsr_cfg",
    "mli_pool_cfg", "mli_relu_cfg", "mli_relu_type", "mli_rnn_cell_cfg", "mli_rnn_mode",
    "mli_rnn_out_activation", "mli_status", "mli_tensor", "read", "write",
]

MLI_MAX_RANK = 4
MLI_CONCAT_MAX_TENSORS = 8


class mli_status(IntEnum):
    """What a function returns. Names: MLI 1.0 and 1.1, "Error Codes"; values: mli_types.h.

    Those two documents leave out ``MLI_STATUS_INCOMPATEBLE_TENSORS`` and
    ``MLI_STATUS_TYPE_MISMATCH``, which the library returns all the same.
    """

    MLI_STATUS_OK                   = 0
    MLI_STATUS_BAD_TENSOR           = 1
    MLI_STATUS_SHAPE_MISMATCH       = 2
    MLI_STATUS_INCOMPATEBLE_TENSORS = 3  #: Element types or fractional bits do not go together.
    MLI_STATUS_BAD_FUNC_CFG         = 4
    MLI_STATUS_NOT_ENGH_MEM         = 5
    MLI_STATUS_NOT_SUPPORTED        = 6
    MLI_STATUS_SPEC_PARAM_MISMATCH  = 7
    MLI_STATUS_TYPE_MISMATCH        = 12  #: Element type is not that of the function's name.


class mli_element_type(IntEnum):
    """Type of the elements of a tensor; no function here takes the last two, of 1.1 only."""

    MLI_EL_FX_8     = 0
    MLI_EL_FX_16    = 1
    MLI_EL_ASYM_I8  = 2
    MLI_EL_ASYM_I32 = 3


class mli_relu_type(IntEnum):
    """Limits of an output."""

    MLI_RELU_NONE = 0
    MLI_RELU_GEN  = 1
    MLI_RELU_1    = 2
    MLI_RELU_6    = 3


class mli_rnn_mode(IntEnum):
    """Frames that a recurrent cell reads and writes."""

    RNN_ONE_TO_ONE     = 0
    RNN_BATCH_TO_BATCH = 1
    RNN_BATCH_TO_LAST  = 2


class mli_rnn_out_activation(IntEnum):
    """Activation at the output of a recurrent cell."""

    RNN_ACT_NONE = 0
    RNN_ACT_TANH = 1
    RNN_ACT_SIGM = 2


ENUMERATIONS = (mli_status, mli_element_type, mli_relu_type, mli_rnn_mode, mli_rnn_out_activation)

_DTYPES = {mli_element_type.MLI_EL_FX_8: np.int8, mli_element_type.MLI_EL_FX_16: np.int16}
_SIZES  = {**{kind: np.dtype(dtype).itemsize for kind, dtype in _DTYPES.items()},
           mli_element_type.MLI_EL_ASYM_I8: 1, mli_element_type.MLI_EL_ASYM_I32: 4}


@dataclass
class mli_fx_params:
    """Parameters of fixed-point elements: fractional bits, 0 .. 255."""

    frac_bits: int = 0


@dataclass
class mli_element_params:
    """Parameters of elements; fixed point is the only kind."""

    fx: mli_fx_params = field(default_factory=mli_fx_params)


@dataclass(eq=False)
class mli_tensor:
    """Memory and what it holds.

    Parameters
    ----------
    data : contiguous numpy array, the memory whatever its own shape and dtype; for a scalar of
        rank 0 the value itself
    capacity : int, bytes; those of ``data`` unless given
    shape : ints, from the slowest dimension on; that of ``data`` unless given
    rank : int, dimensions of ``shape`` in use; all unless given
    el_type : mli_element_type; that of the dtype of ``data`` unless given
    el_params : mli_element_params
    """

    data:      object = None
    capacity:  int | None = None
    shape:     tuple | None = None
    rank:      int | None = None
    el_type:   mli_element_type | None = None
    el_params: mli_element_params = field(default_factory=mli_element_params)

    def __post_init__(self):
        array = self.data if isinstance(self.data, np.ndarray) else None
        if self.capacity is None:
            self.capacity = 0 if array is None else array.nbytes
        if self.shape is None:
            self.shape = () if array is None else array.shape
        if self.rank is None:
            self.rank = len(self.shape)
        if self.el_type is None:
            self.el_type = (mli_element_type.MLI_EL_FX_8 if array is None or array.itemsize == 1
                            else mli_element_type.MLI_EL_FX_16)


@dataclass
class mli_relu_cfg:
    """Configuration of ``mli_krn_relu``."""

    type: mli_relu_type = mli_relu_type.MLI_RELU_NONE


@dataclass
class mli_conv2d_cfg:
    """Configuration of the convolutions."""

    stride_width:   int = 1
    stride_height:  int = 1
    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0
    relu: mli_relu_cfg = field(default_factory=mli_relu_cfg)


@dataclass
class mli_pool_cfg:
    """Configuration of both kinds of pooling."""

    kernel_width:   int = 1
    kernel_height:  int = 1
    stride_width:   int = 1
    stride_height:  int = 1
    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0


@dataclass
class mli_rnn_cell_cfg:
    """Configuration of the recurrent cells; what ``ir_tsr`` holds after a call is unspecified."""

    mode:   mli_rnn_mode = mli_rnn_mode.RNN_ONE_TO_ONE
    act:    mli_rnn_out_activation = mli_rnn_out_activation.RNN_ACT_NONE
    ir_tsr: mli_tensor | None = None


@dataclass
class mli_concat_cfg:
    """Configuration of ``mli_krn_concat``."""

    tensors_num: int = 1
    axis:        int = 0


@dataclass
class mli_permute_cfg:
    """Configuration of ``mli_krn_permute``: input dimension of each output dimension."""

    perm_dim: tuple = tuple(range(MLI_MAX_RANK))


@dataclass
class mli_padding2d_cfg:
    """Configuration of ``mli_krn_padding2d``."""

    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0


@dataclass
class mli_point_to_subtsr_cfg:
    """Configuration of ``mli_hlp_point_to_subtensor``."""

    start_coord:        tuple = (0,) * MLI_MAX_RANK
    coord_num:          int = 1
    first_out_dim_size: int = 1


#: Names that prototypes of the documents give to the same structures.
mli_avepool_cfg, mli_lstm_cell_cfg = mli_pool_cfg, mli_rnn_cell_cfg


def is_count(value, low=0, high=255):
    """Whether ``value`` is an int from ``low`` to ``high``; a field of the library is a uint8."""
    return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            and low <= value <= high)


def dims(tensor):
    """Dimensions of a tensor that are in use."""
    return tuple(int(size) for size in tensor.shape[:tensor.rank])


def elements(tensor):
    """Elements of a tensor, 1 for rank 0."""
    return prod(dims(tensor))


def element_size(el_type):
    """Bytes of an element, 0 for an unknown type."""
    return _SIZES.get(el_type, 0)


def dtype_of(el_type):
    """Dtype of a fixed-point element type; KeyError for another."""
    return np.dtype(_DTYPES[el_type])


def memory(tensor):
    """Bytes behind ``data``, a view; None if there is no contiguous array."""
    data = tensor.data
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "iu":
        return None
    return data.reshape(-1).view(np.uint8) if data.flags.c_contiguous else None


def read(tensor):
    """Elements of a fixed-point tensor in its shape, a view of its memory."""
    dtype = dtype_of(tensor.el_type)
    if tensor.rank == 0:
        return np.array(tensor.data, dtype)
    size = elements(tensor) * dtype.itemsize
    return memory(tensor)[:size].view(dtype).reshape(dims(tensor))


def write(tensor, values):
    """Put values into the memory of a tensor; its fields stay."""
    flat = np.ascontiguousarray(values).reshape(-1)
    memory(tensor)[:flat.nbytes] = flat.view(np.uint8)


def describe(tensor, shape, itemsize, frac_bits):
    """Fill shape, rank, element type and fractional bits of a tensor."""
    tensor.shape, tensor.rank = tuple(shape), len(shape)
    tensor.el_type = (mli_element_type.MLI_EL_FX_8 if itemsize == 1
                      else mli_element_type.MLI_EL_FX_16)
    tensor.el_params = mli_element_params(mli_fx_params(frac_bits))

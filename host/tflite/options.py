# SPDX-License-Identifier: Apache-2.0
"""Operator options: the schema's field names, order and defaults."""

from dataclasses import dataclass

from .codes import ACTIVATION, PADDING, TENSOR_TYPE, WEIGHTS_FORMAT
from .fields import FLAG, FLOAT, INT, TEXT, Choice
from .options_arithmetic import (
    ArgMaxOptions,
    ArgMinOptions,
    BatchMatMulOptions,
    CumsumOptions,
    DivOptions,
    GeluOptions,
    L2NormOptions,
)
from .options_moves import (
    ConcatenationOptions,
    DepthToSpaceOptions,
    GatherOptions,
    MirrorPadOptions,
    PackOptions,
    ReshapeOptions,
    ResizeBilinearOptions,
    ResizeNearestNeighborOptions,
    SpaceToDepthOptions,
    SplitOptions,
    SplitVOptions,
    SqueezeOptions,
    StridedSliceOptions,
    UnpackOptions,
)

__all__ = [
    "AddOptions",
    "ArgMaxOptions",
    "ArgMinOptions",
    "BatchMatMulOptions",
    "CallOnceOptions",
    "ConcatenationOptions",
    "Conv2DOptions",
    "CumsumOptions",
    "DepthToSpaceOptions",
    "DepthwiseConv2DOptions",
    "DivOptions",
    "FullyConnectedOptions",
    "GatherOptions",
    "GeluOptions",
    "L2NormOptions",
    "LeakyReluOptions",
    "MirrorPadOptions",
    "MulOptions",
    "PackOptions",
    "Pool2DOptions",
    "ReducerOptions",
    "ReshapeOptions",
    "ResizeBilinearOptions",
    "ResizeNearestNeighborOptions",
    "SVDFOptions",
    "ShapeOptions",
    "SoftmaxOptions",
    "SpaceToDepthOptions",
    "SplitOptions",
    "SplitVOptions",
    "SqueezeOptions",
    "StridedSliceOptions",
    "SubOptions",
    "TransposeConvOptions",
    "UnidirectionalSequenceLSTMOptions",
    "UnpackOptions",
    "VarHandleOptions",
]

_PADDING, _ACTIVATION, _TYPE = Choice(PADDING), Choice(ACTIVATION), Choice(TENSOR_TYPE)


@dataclass(frozen=True)
class Conv2DOptions:
    """CONV_2D options; strides in elements."""

    padding:                   _PADDING = PADDING.SAME
    stride_w:                  INT = 0
    stride_h:                  INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE
    dilation_w_factor:         INT = 1
    dilation_h_factor:         INT = 1
    quantized_bias_type:       _TYPE = TENSOR_TYPE.FLOAT32


@dataclass(frozen=True)
class Pool2DOptions:
    """Options of AVERAGE_POOL_2D and MAX_POOL_2D; window and strides in elements."""

    padding:                   _PADDING = PADDING.SAME
    stride_w:                  INT = 0
    stride_h:                  INT = 0
    filter_width:              INT = 0
    filter_height:             INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class DepthwiseConv2DOptions:
    """DEPTHWISE_CONV_2D options; strides in elements, outputs per input channel."""

    padding:                   _PADDING = PADDING.SAME
    stride_w:                  INT = 0
    stride_h:                  INT = 0
    depth_multiplier:          INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE
    dilation_w_factor:         INT = 1
    dilation_h_factor:         INT = 1


@dataclass(frozen=True)
class FullyConnectedOptions:
    """FULLY_CONNECTED options."""

    fused_activation_function:  _ACTIVATION = ACTIVATION.NONE
    weights_format:             Choice(WEIGHTS_FORMAT) = WEIGHTS_FORMAT.DEFAULT
    keep_num_dims:              FLAG = False
    asymmetric_quantize_inputs: FLAG = False
    quantized_bias_type:        _TYPE = TENSOR_TYPE.FLOAT32


@dataclass(frozen=True)
class TransposeConvOptions:
    """TRANSPOSE_CONV options; strides in elements."""

    padding:                   _PADDING = PADDING.SAME
    stride_w:                  INT = 0
    stride_h:                  INT = 0
    fused_activation_function: _ACTIVATION = ACTIVATION.NONE
    quantized_bias_type:       _TYPE = TENSOR_TYPE.FLOAT32


@dataclass(frozen=True)
class AddOptions:
    """ADD options."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE
    pot_scale_int16:           FLAG = True


@dataclass(frozen=True)
class SubOptions:
    """SUB options."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE
    pot_scale_int16:           FLAG = True


@dataclass(frozen=True)
class MulOptions:
    """MUL options."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class SoftmaxOptions:
    """SOFTMAX options."""

    beta: FLOAT = 0.0


@dataclass(frozen=True)
class LeakyReluOptions:
    """LEAKY_RELU options."""

    alpha: FLOAT = 0.0


@dataclass(frozen=True)
class ReducerOptions:
    """Options of MEAN, SUM, REDUCE_MAX and REDUCE_MIN."""

    keep_dims: FLAG = False


@dataclass(frozen=True)
class UnidirectionalSequenceLSTMOptions:
    """UNIDIRECTIONAL_SEQUENCE_LSTM options; clips in real numbers, 0 for none."""

    fused_activation_function:   _ACTIVATION = ACTIVATION.NONE
    cell_clip:                   FLOAT = 0.0
    proj_clip:                   FLOAT = 0.0
    time_major:                  FLAG = False
    asymmetric_quantize_inputs:  FLAG = False
    diagonal_recurrent_tensors:  FLAG = False


@dataclass(frozen=True)
class SVDFOptions:
    """SVDF options."""

    rank:                       INT = 0
    fused_activation_function:  _ACTIVATION = ACTIVATION.NONE
    asymmetric_quantize_inputs: FLAG = False


@dataclass(frozen=True)
class CallOnceOptions:
    """CALL_ONCE options."""

    init_subgraph_index: INT = 0


@dataclass(frozen=True)
class VarHandleOptions:
    """VAR_HANDLE options: the variable's name."""

    container:   TEXT = ""
    shared_name: TEXT = ""


@dataclass(frozen=True)
class ShapeOptions:
    """SHAPE options."""

    out_type: _TYPE = TENSOR_TYPE.FLOAT32

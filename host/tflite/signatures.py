# SPDX-License-Identifier: Apache-2.0
"""The supported operators' signatures."""

from . import options
from .codes import TENSOR_TYPE
from .functions import FUNCTIONS
from .operands import Operand, Scales, Signature

__all__ = ["LAYERLESS", "SIGNATURES"]

INT4, INT8, INT16, INT32, INT64, FLOAT32, UINT8, BOOL, RESOURCE = (
    TENSOR_TYPE.INT4, TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32, TENSOR_TYPE.INT64,
    TENSOR_TYPE.FLOAT32, TENSOR_TYPE.UINT8, TENSOR_TYPE.BOOL, TENSOR_TYPE.RESOURCE)

#: Operators without a layer: see ``xymac.host.tflite.prepare`` and ``xymac.host.tflite.variables``.
LAYERLESS = ("SHAPE", "CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE")

#: Types of moving operators.
MOVED = (INT8, INT16, INT32, INT64, FLOAT32, UINT8, BOOL)


def _constant(name, types, scales=Scales.ANY, optional=False):
    return Operand(name, types, scales, optional=optional, constant=True)


def _indices(name, *types, optional=False):
    return _constant(name, (INT32, *types), optional=optional)


def _one(kind=None, title="NONE", types=()):
    """Signature for an operator with a single input of INT8, INT16 or ``types``."""
    return _same(("input",), kind, title, types)


def _two(kind=None, title="NONE", types=()):
    """Signature for an operator with two such inputs."""
    return _same(("first input", "second input"), kind, title, types)


def _same(names, kind, title, types):
    kinds = INT8, INT16, *types
    return Signature(tuple(Operand(name, kinds) for name in names), kind,
                     Operand("output", kinds), title)


def _moves(*types, behind=(), before=(), **options):
    """Signature for moves of INT8, INT16 or ``types`` without regard to scales.

    It has Operands before and behind the input.
    """
    x, y = (Operand(name, (INT8, INT16, *types), Scales.ANY) for name in ("input", "output"))
    return Signature((*before, x, *behind), output=y, **options)


def _picks(*behind, **options):
    """Signature for moves of INT8, INT16 or FLOAT32 elements, with Operands after the input."""
    return Signature((_PICKED, *behind), output=_PICKED, **options)


_INPUT    = Operand("input")
_ANY      = Operand("input", (INT8, INT16, FLOAT32))
_RESULT   = Operand("output", (INT8, INT16, FLOAT32))
_PLACES   = Operand("indices", (INT32,), Scales.ANY, index=True)
_PICKED   = Operand("input", (INT8, INT16, FLOAT32), Scales.ANY)
_FILLED   = INT8, INT16, INT32, FLOAT32
_BYTE     = Operand("input", (INT8, FLOAT32), Scales.ANY)
_ZEROED   = Operand("input", (INT8, INT32, INT64, FLOAT32), Scales.ANY)
_CAST     = Operand("input", (INT8, INT16, INT32, FLOAT32, BOOL), Scales.ANY)
_BYTES_OR_REAL = Operand("input", (INT8, FLOAT32))
_WEIGHTS  = _constant("weights", (INT8, FLOAT32), Scales.CHANNELS)
_MATRIX   = _constant("weights", (INT8,), Scales.ONE)
_SUM      = (_ANY, _constant("weights", (INT8, INT4, FLOAT32), Scales.CHANNELS),
             _constant("bias", (INT32, INT64, FLOAT32), optional=True))
_SUM_BIAS = _constant("bias", (INT16, INT32, INT64, FLOAT32), optional=True)
_GATES    = ("input", "forget", "cell", "output")


def _gates(what, operand):
    """An Operand per gate."""
    return tuple(Operand(f"{what} of the {gate} gate", operand.types, operand.scales,
                         constant=operand.constant, absent=operand.absent,
                         optional=operand.absent) for gate in _GATES)


_VARIABLE = Operand("variable", (RESOURCE,), Scales.ANY, unread=True)

_NONE = Operand("", absent=True, optional=True)
_LSTM = (
    _INPUT, *_gates("weights", _MATRIX), *_gates("recurrent weights", _MATRIX),
    *_gates("peephole weights", _NONE)[:3],
    *_gates("bias", _constant("bias", (INT32, INT64))),
    Operand("projection weights", absent=True, optional=True),
    Operand("projection bias", absent=True, optional=True),
    Operand("hidden state", variable=True), Operand("cell state", (INT16,), variable=True),
    *_gates("layer norm coefficients", _NONE))


_TRUTH = Operand("input", (BOOL,), Scales.ANY)


def _compare(name, *types):
    pair = tuple(Operand(f"{place} input", (INT8, INT32, INT64, FLOAT32, *types))
                 for place in ("first", "second"))
    return Signature(pair, title=f"{name}Options", output=Operand("output", (BOOL,), Scales.ANY))


def _logical(name, count):
    return Signature((_TRUTH,) * count, title=f"Logical{name}Options", output=_TRUTH)


def _choose(title):
    types = INT8, INT16, INT32, FLOAT32
    pair  = tuple(Operand(f"{place} input", types, Scales.ANY) for place in ("first", "second"))
    return Signature((Operand("condition", (BOOL,), Scales.ANY), *pair), title=title,
                     output=Operand("output", types, Scales.ANY))


def _place(kind):
    return Signature((_BYTES_OR_REAL, _indices("axis")), kind,
                     output=Operand("output", (INT32,), Scales.ANY))


def _function(kind):
    """Signature of a layer class with the types of input and output."""
    types = tuple(TENSOR_TYPE[name] for name in kind.types)
    return Signature((Operand("input", types),), output=Operand("output", types))


def _real(count=1, title="NONE"):
    """Signature for an operator with floating point alone in tflite-micro."""
    return Signature((Operand("input", (FLOAT32,)),) * count, None,
                     Operand("output", (FLOAT32,)), title)


#: Tensor arithmetic, element-wise and along dimensions.
ARITHMETIC = {
    "NEG": _real(title="NegOptions"),
    "SQUARE": _real(title="SquareOptions"),
    "SQRT": _one(types=(FLOAT32,)),
    "EXP": Signature((_BYTES_OR_REAL,), title="ExpOptions", output=_BYTES_OR_REAL),
    "LOG": Signature((_BYTES_OR_REAL,), output=_BYTES_OR_REAL),
    "GELU": Signature((Operand("input", (INT8,)),), options.GeluOptions,
                      Operand("output", (INT8,))),
    "SIN": _real(),
    "COS": _real(),
    "FLOOR": _real(),
    "CEIL": _real(),
    "ROUND": _real(),
    "FLOOR_DIV": _real(2, "FloorDivOptions"),
    "FLOOR_MOD": _real(2, "FloorModOptions"),
    "ABS": _one(title="AbsOptions", types=(FLOAT32,)),
    "RSQRT": _one(types=(FLOAT32,)),
    "ELU": Signature((_BYTES_OR_REAL,), output=_BYTES_OR_REAL),
    **{name: _function(kind) for name, kind in FUNCTIONS.items()
       if name not in ("ABS", "RSQRT", "ELU", "EXP", "LOG", "SQRT")},
    "LOG_SOFTMAX": Signature((_BYTES_OR_REAL,), title="LogSoftmaxOptions",
                             output=_BYTES_OR_REAL),
    "L2_NORMALIZATION": Signature((_BYTES_OR_REAL,), options.L2NormOptions,
                                  output=_BYTES_OR_REAL),
    "EQUAL": _compare("Equal", BOOL),
    "NOT_EQUAL": _compare("NotEqual", BOOL),
    "GREATER": _compare("Greater"),
    "GREATER_EQUAL": _compare("GreaterEqual"),
    "LESS": _compare("Less"),
    "LESS_EQUAL": _compare("LessEqual"),
    "LOGICAL_AND": _logical("And", 2),
    "LOGICAL_OR": _logical("Or", 2),
    "LOGICAL_NOT": _logical("Not", 1),
    "REDUCE_ALL": Signature((_TRUTH, _indices("axes")), options.ReducerOptions, output=_TRUTH),
    "SQUARED_DIFFERENCE": _two(title="SquaredDifferenceOptions", types=(FLOAT32,)),
    "DIV": Signature((Operand("first input", (INT8, FLOAT32)),
                      Operand("second input", (INT8, FLOAT32))), options.DivOptions,
                     Operand("output", (INT8, FLOAT32))),
    "ADD_N": Signature((_BYTES_OR_REAL,), title="AddNOptions", output=_BYTES_OR_REAL,
                       many_inputs=True),
    "CUMSUM": Signature((_BYTES_OR_REAL, _indices("axis")), options.CumsumOptions,
                        output=_BYTES_OR_REAL),
    "SUM": Signature((_ANY, _indices("axes")), options.ReducerOptions, _RESULT),
    "REDUCE_MAX": Signature((_ANY, _indices("axes")), options.ReducerOptions, _RESULT),
    "REDUCE_MIN": Signature((_ANY, _indices("axes")), options.ReducerOptions, _RESULT),
    "ARG_MAX": _place(options.ArgMaxOptions),
    "ARG_MIN": _place(options.ArgMinOptions),
    "BATCH_MATMUL": _two(options.BatchMatMulOptions, types=(FLOAT32,)),
}

SIGNATURES = {
    "CONV_2D": Signature(_SUM, options.Conv2DOptions, _RESULT),
    "DEPTHWISE_CONV_2D": Signature(_SUM, options.DepthwiseConv2DOptions, _RESULT),
    "FULLY_CONNECTED": Signature(
        (_ANY, Operand("weights", (INT8, INT4, FLOAT32), Scales.CHANNELS, index=True), _SUM[2]),
        options.FullyConnectedOptions, _RESULT),
    # The shape is ignored: the output shape counts.
    "TRANSPOSE_CONV": Signature(
        (Operand("output shape", (INT32,), Scales.ANY, unread=True), _WEIGHTS, _ANY, _SUM_BIAS),
        options.TransposeConvOptions, _RESULT),
    "AVERAGE_POOL_2D": _one(options.Pool2DOptions, types=(FLOAT32,)),
    "MAX_POOL_2D": _one(options.Pool2DOptions, types=(FLOAT32,)),
    "L2_POOL_2D": Signature((Operand("input", (FLOAT32,)),), options.Pool2DOptions,
                            Operand("output", (FLOAT32,))),
    "MEAN": Signature((_ANY, _indices("axes")), options.ReducerOptions, _RESULT),
    "ADD": _two(options.AddOptions, types=(INT32, FLOAT32)),
    "SUB": _two(options.SubOptions, types=(INT32, FLOAT32)),
    "MUL": _two(options.MulOptions, types=(INT32, FLOAT32)),
    "MAXIMUM": _two(title="MaximumMinimumOptions", types=(INT32, INT64, FLOAT32)),
    "MINIMUM": _two(title="MaximumMinimumOptions", types=(INT32, INT64, FLOAT32)),
    "SOFTMAX": _one(options.SoftmaxOptions, types=(FLOAT32,)),
    "LOGISTIC": _one(types=(FLOAT32,)),
    "TANH": _one(types=(FLOAT32,)),
    "RELU": _one(types=(FLOAT32,)),
    "RELU6": _one(types=(FLOAT32,)),
    "RELU_0_TO_1": Signature((_BYTES_OR_REAL,), output=_BYTES_OR_REAL),
    "RELU_N1_TO_1": Signature((_BYTES_OR_REAL,), output=_BYTES_OR_REAL),
    "LEAKY_RELU": _one(options.LeakyReluOptions, types=(FLOAT32,)),
    "PRELU": Signature((_ANY, _constant("slopes", (INT8, FLOAT32), Scales.ONE)), output=_RESULT),
    "HARD_SWISH": _one(title="HardSwishOptions", types=(FLOAT32,)),
    **ARITHMETIC,
    "PAD": _moves(INT32, FLOAT32, behind=(_indices("paddings"),), title="PadOptions"),
    "PADV2": Signature((_ANY, _indices("paddings"),
                        _constant("padding value", (INT8, INT16, FLOAT32), Scales.ONE)),
                       title="PadV2Options", output=_RESULT),
    # The shape is ignored: the output shape counts.
    "RESHAPE": _moves(*MOVED[2:], behind=(Operand("shape", (INT32,), Scales.ANY, optional=True,
                                                  unread=True),), options=options.ReshapeOptions),
    "TRANSPOSE": _moves(FLOAT32, behind=(_indices("order of dimensions"),),
                        title="TransposeOptions"),
    "CONCATENATION": _moves(INT32, INT64, FLOAT32, BOOL, options=options.ConcatenationOptions,
                            many_inputs=True),
    "SPLIT": _moves(INT32, FLOAT32, before=(_indices("axis"),), options=options.SplitOptions,
                    many_outputs=True),
    # The sizes are ignored: the output shapes count.
    "SPLIT_V": _moves(INT32, FLOAT32, behind=(
        Operand("sizes", (INT32, INT64), Scales.ANY, unread=True), _indices("axis")),
        options=options.SplitVOptions, many_outputs=True),
    "PACK": _moves(INT32, INT64, FLOAT32, options=options.PackOptions, many_inputs=True),
    "UNPACK": _moves(INT32, FLOAT32, options=options.UnpackOptions, many_outputs=True),
    "EXPAND_DIMS": _moves(FLOAT32, behind=(_indices("axis"),), title="ExpandDimsOptions"),
    "SQUEEZE": _moves(*MOVED[2:], options=options.SqueezeOptions),
    # No pass reads an address from memory: the host looks up indices that are values.
    "GATHER": _picks(_PLACES, options=options.GatherOptions),
    "GATHER_ND": _picks(_PLACES, title="GatherNdOptions"),
    "EMBEDDING_LOOKUP": Signature((_PLACES, _BYTE), output=_BYTE),
    "BATCH_TO_SPACE_ND": _picks(_indices("block"), _indices("crops"),
                                title="BatchToSpaceNDOptions"),
    "SPACE_TO_BATCH_ND": _picks(_indices("block"), _indices("paddings"),
                                title="SpaceToBatchNDOptions"),
    "DEPTH_TO_SPACE": Signature((_BYTE,), options.DepthToSpaceOptions, _BYTE),
    "SPACE_TO_DEPTH": Signature((_BYTE,), options.SpaceToDepthOptions, _BYTE),
    "MIRROR_PAD": _picks(_indices("paddings", INT64), options=options.MirrorPadOptions),
    "BROADCAST_TO": _moves(*MOVED[2:], behind=(_indices("shape", INT64),),
                           title="BroadcastToOptions"),
    "FILL": Signature((_indices("dimensions", INT64), Operand("value", _FILLED)),
                      title="FillOptions", output=Operand("output", _FILLED)),
    "REVERSE_V2": _moves(*MOVED[2:], behind=(_indices("axes"),), title="ReverseV2Options"),
    "ZEROS_LIKE": Signature((_ZEROED,), title="ZerosLikeOptions", output=_ZEROED),
    "CAST": Signature((_CAST,), title="CastOptions", output=_CAST),
    # The start must be constant, because no pass reads an address from memory.
    "DYNAMIC_UPDATE_SLICE": _moves(INT32, FLOAT32, title="DynamicUpdateSliceOptions", behind=(
        Operand("update", (INT8, INT16, INT32, FLOAT32), Scales.ANY),
        _indices("start", INT64))),
    "SELECT_V2": _choose("SelectV2Options"),
    "SELECT": _choose("SelectOptions"),
    "TILE": _moves(*MOVED[2:], behind=(_indices("times", INT64),), title="TileOptions"),
    "BROADCAST_ARGS": Signature(tuple(Operand(name, (INT32, INT64), Scales.ANY) for name in (
        "first input", "second input")), output=Operand("output", (INT32, INT64), Scales.ANY)),
    "SLICE": _moves(INT32, FLOAT32, BOOL, title="SliceOptions",
                    behind=(_indices("begin", INT64), _indices("size", INT64))),
    "STRIDED_SLICE": _moves(INT32, FLOAT32, BOOL, options=options.StridedSliceOptions, behind=(
        _indices("begin"), _indices("end"), _indices("strides"))),
    "RESIZE_NEAREST_NEIGHBOR": _moves(FLOAT32, behind=(_indices("size"),),
                                      options=options.ResizeNearestNeighborOptions),
    "RESIZE_BILINEAR": Signature((_BYTES_OR_REAL, _indices("size")), options.ResizeBilinearOptions,
                                 output=_BYTES_OR_REAL),
    "QUANTIZE": Signature((Operand("input", (INT8, INT16, INT32, FLOAT32, UINT8)),),
                          title="QuantizeOptions",
                          output=Operand("output", (INT8, INT16, INT32, UINT8))),
    "DEQUANTIZE": Signature((Operand("input", (INT8, INT16, UINT8)),), title="DequantizeOptions",
                            output=Operand("output", (FLOAT32,))),
    "SHAPE": Signature((Operand("input", MOVED, Scales.ANY, unread=True),), options.ShapeOptions,
                       Operand("output", (INT32,), Scales.ANY)),
    "CALL_ONCE": Signature((), options.CallOnceOptions, None),
    "VAR_HANDLE": Signature((), options.VarHandleOptions,
                            Operand("variable", (RESOURCE,), Scales.ANY)),
    "READ_VARIABLE": Signature((_VARIABLE,), None, Operand("output", MOVED, Scales.ANY),
                               "ReadVariableOptions"),
    "ASSIGN_VARIABLE": Signature((_VARIABLE, Operand("value", MOVED, Scales.ANY)), None, None,
                                 "AssignVariableOptions"),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Signature(_LSTM, options.UnidirectionalSequenceLSTMOptions),
    "SVDF": Signature(
        (_INPUT, _constant("feature weights", (INT8,), Scales.ONE),
         _constant("time weights", (INT8, INT16), Scales.ONE), _constant("bias", (INT32,)),
         Operand("state", variable=True)),
        options.SVDFOptions),
}

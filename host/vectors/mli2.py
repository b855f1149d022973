# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 vector cases converted to golden layers and their inputs."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import index

from xymac.golden.mli2 import (
    Act,
    Affine,
    ArgMax,
    AvePool,
    Build,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Direction,
    Element,
    Eltwise,
    EltwiseOp,
    Fixed,
    FullyConnected,
    GroupConv2d,
    GruCell,
    L2Normalize,
    LeakyRelu,
    LstmCell,
    MaxPool,
    Permute,
    Prelu,
    QuantTensor,
    Rectify,
    Relu,
    RnnDense,
    RnnOutput,
    Sigmoid,
    Softmax,
    Tanh,
    TransposeConv2d,
)

from .files import VectorError

__all__ = ["DIALECT", "build_layer"]

DIALECT = "mli-2"

_FX16 = Element.FX_16
#: (data, weight, bias) element types by the type in a function name.
_TYPES = {"fx8": (Element.FX_8,) * 3, "fx16": (_FX16,) * 3, "sa8": (Element.SA_8,) * 3,
          "fx16_fx8_fx8": (_FX16, Element.FX_8, Element.FX_8),
          "sa8_sa8_sa32": (Element.SA_8, Element.SA_8, Element.SA_32)}
_FUNCTION = re.compile(rf"mli_(?:krn_(\w+?)_({'|'.join(_TYPES)})|hlp_(\w+))")
#: Element types by (data type, has a zero point).
_ELEMENTS = {("int8", False): Element.FX_8, ("int16", False): Element.FX_16,
             ("int8", True): Element.SA_8, ("int32", True): Element.SA_32}
_RENAMED = {"cell_in": "cell"}  #: Arguments whose format has another name in the index.
_SIDES = ("top", "bottom", "left", "right")


@dataclass(frozen=True)
class _Call:
    """A case variant with its inputs.

    Parameters
    ----------
    config : dict, the case's config
    tensors : dict, QuantTensors by argument
    build : Build
    out_dtype : str, numpy type for the expected output
    """

    config:    dict
    tensors:   dict
    build:     Build
    out_dtype: str

    @property
    def out(self):
        """Output format."""
        return _format(self.config["quant"]["out"])

    def ints(self, template, *names):
        """Configuration values under the names filled into ``template``, an int tuple."""
        return tuple(index(self.config["cfg"][template.format(name)]) for name in names)

    def pick(self, *names):
        """Tensors by argument name."""
        return tuple(self.tensors[name] for name in names)


@dataclass(frozen=True)
class _Kernel:
    """Construction of a kernel's layer.

    Parameters
    ----------
    build : function from a _Call to the layer
    inputs : the layer's input argument names
    roles : dict, 1 for arguments with the weight type, 2 for arguments with the bias type
    """

    build:  Callable
    inputs: tuple = ("x",)
    roles:  dict = field(default_factory=dict)


def _format(quant):
    """Fixed or Affine from the index entry."""
    if isinstance(quant, int):
        return Fixed(quant)
    values = [quant[name] for name in ("zero_point", "scale", "scale_frac_bits")]
    return Affine(*(tuple(value) if isinstance(value, list) else value for value in values),
                  quant["dim"])


def _convolution(kind, call):
    return kind(*call.pick("w", "b"), call.out, call.ints("stride_{}", "height", "width"),
                call.ints("padding_{}", *_SIDES), call.ints("dilation_{}", "height", "width"),
                Relu(call.config["cfg"]["relu"]), call.build)


def _dense(call):
    return FullyConnected(*call.pick("w", "b"), call.out, Relu(call.config["relu"]), call.build)


def _rnn_dense(call):
    return RnnDense(call.pick("w_in", "w_out"), call.tensors["b"], call.out, call.build)


def _cell(kind, call):
    config  = call.config
    options = {"direction": Direction[config["direction"]], "build": call.build,
               "output": RnnOutput[config["results"]]}
    if kind is LstmCell:
        options |= {"cell": call.tensors["cell_in"], "act": Act[config["act"]]}
    return kind(*call.pick("w_in", "w_out", "b", "h"), call.out, **options)


def _pool(kind, call):
    options = {"out": call.out, "build": call.build} if kind is AvePool else {}
    kernel, stride = (call.ints(name, "height", "width") for name in ("kernel_{}", "stride_{}"))
    return kind(kernel, stride, call.ints("padding_{}", *_SIDES), **options)


def _leaky(kind, call):
    out     = call.out if call.tensors["x"].is_affine else None
    options = {"axis": call.config["axis"]} if kind is Prelu else {}
    return kind(call.tensors["slope"], out, call.build, **options)


def _convert(call):
    element = _ELEMENTS[call.out_dtype, isinstance(call.out, Affine)]
    return ConvertTensor(element, call.out, call.build)


_LINEAR = {"roles": {"w": 1, "b": 2}}
_CELL   = {"roles": {"w_in": 1, "w_out": 1, "b": 2}}
#: Layer construction by function name without prefix and type.
_KERNELS = {
    **{name: _Kernel(partial(_convolution, kind), **_LINEAR) for name, kind in (
        ("conv2d_hwcn", Conv2d), ("depthwise_conv2d_hwcn", DepthwiseConv2d),
        ("group_conv2d_hwcn", GroupConv2d), ("transpose_conv2d_hwcn", TransposeConv2d))},
    "fully_connected": _Kernel(_dense, **_LINEAR),
    "rnn_dense":       _Kernel(_rnn_dense, ("x", "h"), **_CELL),
    "lstm_cell":       _Kernel(partial(_cell, LstmCell), **_CELL),
    "gru_cell":        _Kernel(partial(_cell, GruCell), **_CELL),
    "maxpool_hwc":     _Kernel(partial(_pool, MaxPool)),
    "avepool_hwc":     _Kernel(partial(_pool, AvePool)),
    "relu":            _Kernel(lambda call: Rectify(Relu(call.config["relu"]))),
    "leaky_relu":      _Kernel(partial(_leaky, LeakyRelu)),
    "prelu":           _Kernel(partial(_leaky, Prelu)),
    "sigm":            _Kernel(lambda call: Sigmoid(call.build)),
    "tanh":            _Kernel(lambda call: Tanh(call.build)),
    "softmax":         _Kernel(lambda call: Softmax(call.config["axis"], call.build)),
    "l2_normalize":    _Kernel(lambda call: L2Normalize(call.config["axis"], call.build)),
    **{f"eltwise_{op.value}": _Kernel(
        lambda call, op=op: Eltwise(op, call.out, call.build), ("a", "b")) for op in EltwiseOp},
    "permute":         _Kernel(lambda call: Permute(tuple(call.config["perm"]))),
    "argmax":          _Kernel(lambda call: ArgMax(call.config["topk"], call.config["axis"])),
    "convert_tensor":  _Kernel(_convert),
}


def _tensor(case, kernel, types, name, data):
    """An argument's Tensor; functions that only move elements have no own format."""
    formats = {"slope": case.config.get("slope_quant"), **case.config.get("quant", {})}
    quant   = formats.get(_RENAMED.get(name, name))
    if quant is None and "quant" in case.config:
        raise KeyError(name)
    element = (types[kernel.roles.get(name, 0)] if types
               else _ELEMENTS[str(data.dtype), not isinstance(quant, int)])
    if quant is None:
        return QuantTensor(data, element, Affine(0, 1, 0) if element.format is Affine else Fixed(0))
    return QuantTensor(data, element, _format(quant))


def build_layer(case, variant, arrays):
    """The ``case`` layer, then its inputs; None for an unknown function or ``variant``.

    VectorError if the case lacks its function's data; ValueError for values refused by a tensor.
    """
    named  = _FUNCTION.fullmatch(case.function)
    kernel = _KERNELS.get(named[1] or named[3]) if named else None
    if kernel is None or variant not in {build.value for build in Build}:
        return None
    try:
        tensors = {name: _tensor(case, kernel, _TYPES.get(named[2]), name, arrays[key])
                   for name, key in case.inputs.items()}
        call = _Call(case.config, tensors, Build(variant),
                     str(arrays[case.expected[variant]["out"]].dtype))
        return kernel.build(call), *call.pick(*kernel.inputs)
    except (KeyError, TypeError) as error:
        raise VectorError(f"Case {case.id} is incomplete: {error}") from error

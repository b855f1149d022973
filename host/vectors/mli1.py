# SPDX-License-Identifier: Apache-2.0
"""Vector cases converted to golden layers and their inputs."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import index

from xymac.golden.mli1 import (
    Act,
    AvePool,
    BasicRnnCell,
    Concat,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LeakyRelu,
    LstmCell,
    MaxPool,
    Padding2d,
    Permute,
    Rectify,
    Relu,
    RnnMode,
    Sigmoid,
    Softmax,
    Subtensor,
    Tanh,
    Tensor,
    count_elem_num,
    element_size,
)
from xymac.hdl.isa import RoundMode

from . import mli2 as mli2_cases
from . import tflm as tflm_cases
from . import xs3 as xs3_cases
from .files import VectorError

__all__ = ["build_layer", "helper_values"]

#: Rounding by variant of the expected outputs.
_ROUNDING = {"convergent": RoundMode.CONVERGENT, "up": RoundMode.UP}
#: Variant of functions without rounding; they can have the others too.
_EXACT = "exact"
#: (data, constant) element types by the type in a function name.
_TYPES = {"fx8": ("int8", "int8"), "fx16": ("int16", "int16"), "fx8w16d": ("int16", "int8")}
#: Kernel, type and optional specialisation; or a helper.
_FUNCTION = re.compile(rf"mli_(?:krn_(\w+?)_({'|'.join(_TYPES)})(?:_\w+)?|hlp_(\w+))")


@dataclass(frozen=True)
class _Call:
    """A case variant with its inputs.

    Parameters
    ----------
    config : dict, the case's config
    tensors : dict by argument
    rounding : RoundMode, None if the kernel does not round
    out_bits : int, expected output element width
    """

    config:   dict
    tensors:  dict
    rounding: RoundMode | None
    out_bits: int

    @property
    def out_frac_bits(self):
        """Fractional output bits."""
        return self.config["frac"]["out"]

    def ints(self, template, *names, config=None):
        """Configuration values under the names filled into ``template``, an int tuple."""
        config = self.config["cfg"] if config is None else config
        return tuple(index(config[template.format(name)]) for name in names)


@dataclass(frozen=True)
class _Kernel:
    """Construction of a kernel's layer.

    Parameters
    ----------
    build : function from a _Call to the layer
    inputs : the layer's input argument names, None for all
    constants : argument names with the constant type
    rounds : bool, whether variants differ
    """

    build:     Callable
    inputs:    tuple | None = ("x",)
    constants: tuple = ()
    rounds:    bool = True


_SIDES = ("top", "bottom", "left", "right")


def _convolution(kind, layout, call):
    config = call.config["cfg"]
    return kind(call.tensors["w"], call.tensors["b"], call.out_frac_bits,
                stride=call.ints("stride_{}", "height", "width"),
                pad=call.ints("padding_{}", *_SIDES), relu=Relu(config["relu"]), layout=layout,
                rounding=call.rounding)


def _dense(call):
    return FullyConnected(call.tensors["w"], call.tensors["b"], call.out_frac_bits, call.rounding)


def _pool(kind, layout, call):
    options = {"rounding": call.rounding} if kind is AvePool else {}
    kernel, stride = (call.ints(name, "height", "width") for name in ("kernel_{}", "stride_{}"))
    return kind(kernel, stride, call.ints("padding_{}", *_SIDES), layout, **options)


def _eltwise(op, call):
    return Eltwise(op, call.out_frac_bits if op is EltwiseOp.MUL else None, rounding=call.rounding)


def _basic_rnn_cell(call):
    tensors = call.tensors
    return BasicRnnCell(tensors["w"], tensors["b"], tensors["h"], call.out_frac_bits,
                        RnnMode[call.config["mode"]], Act[call.config["act"]], call.rounding)


def _lstm_cell(call):
    tensors = call.tensors
    return LstmCell(tensors["w"], tensors["b"], tensors["h"], tensors["c"], call.out_frac_bits,
                    RnnMode[call.config["mode"]], Act[call.config["act"]], call.rounding)


def _subtensor(call):
    start = tuple(call.config["start"])[:call.config["coord_num"]]
    return Subtensor(start, call.config["first_out_dim_size"])


def _padding2d(layout, call):
    return Padding2d(call.ints("padding_{}", *_SIDES, config=call.config), layout)


_LAYOUTS = (("chw", Layout.CHW), ("hwc", Layout.HWC))
_WEIGHTS = {"constants": ("w", "b")}
_MOVE    = {"rounds": False}
#: Layer construction by function name without prefix and type.
_KERNELS = {
    **{f"conv2d_{name}": _Kernel(partial(_convolution, Conv2d, layout), **_WEIGHTS)
       for name, layout in _LAYOUTS},
    "depthwise_conv2d_chw": _Kernel(partial(_convolution, DepthwiseConv2d, Layout.CHW), **_WEIGHTS),
    "fully_connected":      _Kernel(_dense, **_WEIGHTS),
    **{f"maxpool_{name}": _Kernel(partial(_pool, MaxPool, layout)) for name, layout in _LAYOUTS},
    **{f"avepool_{name}": _Kernel(partial(_pool, AvePool, layout)) for name, layout in _LAYOUTS},
    "relu":       _Kernel(lambda call: Rectify(Relu[call.config["relu"]])),
    "leaky_relu": _Kernel(lambda call: LeakyRelu(call.tensors["slope"], rounding=call.rounding)),
    "sigm":       _Kernel(lambda call: Sigmoid(call.rounding)),
    "tanh":       _Kernel(lambda call: Tanh(call.rounding)),
    "softmax":    _Kernel(lambda call: Softmax(call.rounding)),
    **{f"eltwise_{op.value}": _Kernel(partial(_eltwise, op), inputs=("a", "b"))
       for op in EltwiseOp},
    "basic_rnn_cell": _Kernel(_basic_rnn_cell, **_WEIGHTS),
    "lstm_cell":      _Kernel(_lstm_cell, **_WEIGHTS),
    "concat":  _Kernel(lambda call: Concat(call.config["axis"]), inputs=None, **_MOVE),
    "permute": _Kernel(lambda call: Permute(tuple(call.config["perm"])), **_MOVE),
    **{f"padding2d_{name}": _Kernel(partial(_padding2d, layout), **_MOVE)
       for name, layout in _LAYOUTS},
    "convert_tensor": _Kernel(lambda call: ConvertTensor(call.out_bits, call.out_frac_bits,
                                                         call.rounding)),
    "point_to_subtensor": _Kernel(_subtensor, **_MOVE),
}


def _resolve(case):
    """Kernel and element types for ``case``, or None if its function is not known.

    Helpers have no types in their name: theirs are None.
    """
    named = _FUNCTION.fullmatch(case.function) if case.dialect == "mli-1" else None
    kernel = _KERNELS.get(named[1] or named[3]) if named else None
    return (kernel, _TYPES.get(named[2])) if kernel else None


def _read(case, kernel, types, arrays):
    """Tensors of ``case`` by argument."""
    names = dict.fromkeys((*(kernel.inputs or ()), *kernel.constants, *case.inputs))
    data  = {name: arrays[case.inputs[name]] for name in names}
    if types is not None:
        wanted = [types[name in kernel.constants] for name in names]
        types  = [str(array.dtype) for array in data.values()]
        if types != wanted:
            raise VectorError(f"Inputs of {case.id} must be {', '.join(wanted)}, not "
                              f"{', '.join(types)}")
    return {name: Tensor(array, _frac_bits(case, kernel, name)) for name, array in data.items()}


def _frac_bits(case, kernel, name):
    if not kernel.rounds:
        return 0
    return case.config["slope_frac"] if name == "slope" else case.config["frac"][name]


def build_layer(case, variant, arrays):
    """The ``case`` layer, then its inputs; None for an unknown function or ``variant``.

    VectorError if the case lacks its function's data; ValueError for values refused by a Tensor.
    """
    for others in (xs3_cases, mli2_cases, tflm_cases):
        if case.dialect == others.DIALECT:
            return others.build_layer(case, variant, arrays)
    kernel, types = _resolve(case) or (None, None)
    if kernel is None or not (variant in _ROUNDING or (variant == _EXACT and not kernel.rounds)):
        return None
    if "out" not in case.expected[variant]:
        raise VectorError(f"Case {case.id} has no expected output 'out' for {variant}")
    try:
        tensors = _read(case, kernel, types, arrays)
        out  = arrays[case.expected[variant]["out"]]
        call = _Call(case.config, tensors, _ROUNDING.get(variant), 8 * out.itemsize)
        inputs = tensors if kernel.inputs is None else kernel.inputs
        return kernel.build(call), *(tensors[name] for name in inputs)
    except (KeyError, TypeError) as error:
        raise VectorError(f"Case {case.id} is incomplete: {error}") from error


def helper_values(case, inputs):
    """Helper function results for the ``case`` inputs, by their names in its config."""
    if case.function != "mli_hlp_point_to_subtensor":
        return {}
    x, start = inputs[0], case.config["start"][:case.config["coord_num"]]
    return {"offset": sum(coordinate * count_elem_num(x, axis + 1)
                          for axis, coordinate in enumerate(start)),
            "count_elem_num_from_dim": [count_elem_num(x, axis) for axis in range(x.data.ndim)],
            "element_size": element_size(x)}

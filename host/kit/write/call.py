# SPDX-License-Identifier: Apache-2.0
"""A case as a library function call, in the reference vector format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.mli2 import Affine, Build, Element
from xymac.host.errors import InputError
from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.moved import MOVES, RECURRENT
from xymac.host.vectors.tflm import VARIANT

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["CFunctionCall", "call_of"]

_SIDES = ("top", "bottom", "left", "right")
_MLI   = {"average_pool": "avepool", "max_pool": "maxpool", "sigmoid": "sigm",
          "add": "eltwise_add", "sub": "eltwise_sub", "mul": "eltwise_mul"}
_XS3   = {"conv2d": "conv2d_deep", "depthwise_conv2d": "conv2d_depthwise",
          "average_pool": "avgpool2d", "max_pool": "maxpool2d"}
_TFLM  = {"conv2d": "CONV_2D", "depthwise_conv2d": "DEPTHWISE_CONV_2D",
          "fully_connected": "FULLY_CONNECTED", "average_pool": "AVERAGE_POOL_2D",
          "max_pool": "MAX_POOL_2D", "add": "ADD", "sub": "SUB", "mul": "MUL", "relu": "RELU",
          "sigmoid": "LOGISTIC", "tanh": "TANH", "softmax": "SOFTMAX"}
_BINARY = ("add", "sub", "mul")


@dataclass(frozen=True)
class CFunctionCall:
    """A function call.

    Parameters
    ----------
    function : str
    config : dict, JSON
    inputs : dict of arrays by argument
    variant, output : str, variant and expected output name
    """

    function: str
    config:   dict
    inputs:   dict
    variant:  str
    output:   str = "out"


def call_of(case: Case) -> CFunctionCall:
    """A Case's CFunctionCall; InputError if no library function corresponds."""
    if case.operation in ("requantise", "network", *SUMMING):
        raise InputError(f"No function of a library is {case.operation} alone")
    if case.offset:
        raise InputError(f"Cases of {case.type} are written with --readmemh or --cocotb alone")
    if case.operation in (*MOVES, *RECURRENT):
        raise InputError(f"Cases of {case.operation} are written with --readmemh or --cocotb alone")
    return _DIALECTS[case.dialect](case, case.layer, *case.inputs)


def _arguments(case, names):
    """Tensors by argument: inputs by ``names``, then weights and bias."""
    tensors = dict(zip(names, case.inputs, strict=False))
    for name, argument in (("weights", "w"), ("bias", "b")):
        if hasattr(case.layer, name):
            tensors[argument] = getattr(case.layer, name)
    return tensors


def _windows(layer):
    """An MLI configuration's window fields."""
    fields = dict(zip(("stride_height", "stride_width"), layer.stride, strict=True))
    return fields | {f"padding_{side}": size
                     for side, size in zip(_SIDES, layer.pad, strict=True)}


def _kernel(layer):
    return dict(zip(("kernel_height", "kernel_width"), layer.kernel, strict=True))


def _mli_config(case, layer):
    """An MLI function's configuration without its formats."""
    if case.operation in ("conv2d", "depthwise_conv2d"):
        return {"cfg": _windows(layer) | {"relu": layer.relu.value}}
    if case.operation in ("average_pool", "max_pool"):
        return {"cfg": _windows(layer) | _kernel(layer)}
    return {}


def _mli1(case, layer, x, *others):
    layout  = f"_{layer.layout.name.lower()}" if hasattr(layer, "layout") else ""
    name    = _MLI.get(case.operation, case.operation)
    tensors = _arguments(case, ("a", "b") if case.operation in _BINARY else ("x",))
    fracs   = {key: tensor.frac_bits for key, tensor in tensors.items()}
    fracs["out"] = layer.output_like(x, *others).frac_bits
    config  = _mli_config(case, layer) | {"frac": fracs}
    if case.operation == "relu":
        config["relu"] = layer.relu.name
    rounding = getattr(layer, "rounding", None)
    return CFunctionCall(f"mli_krn_{name}{layout}_{case.type}", config,
                         {key: tensor.data for key, tensor in tensors.items()},
                         "convergent" if rounding is None else rounding.name.lower())


def _mli2(case, layer, x, *others):
    name    = _MLI.get(case.operation, case.operation)
    suffix  = {"conv2d": "_hwcn", "depthwise_conv2d": "_hwcn", "average_pool": "_hwc",
               "max_pool": "_hwc"}.get(case.operation, "")
    tensors = _arguments(case, ("a", "b") if case.operation in _BINARY else ("x",))
    quants  = {key: _quant(tensor.format) for key, tensor in tensors.items()}
    quants["out"] = _quant(layer.output_like(x, *others).format)
    config  = _mli_config(case, layer) | {"quant": quants}
    if hasattr(layer, "dilation"):
        config["cfg"] |= dict(zip(("dilation_height", "dilation_width"), layer.dilation,
                                  strict=True))
    elif hasattr(layer, "relu"):
        config["relu"] = layer.relu.value
    if case.operation == "softmax":
        config["axis"] = layer.axis
    kind  = "sa8_sa8_sa32" if hasattr(layer, "weights") and x.element is Element.SA_8 else case.type
    build = getattr(layer, "build", Build.UP_REDUCED)
    return CFunctionCall(f"mli_krn_{name}{suffix}_{kind}", config,
                         {key: tensor.data for key, tensor in tensors.items()}, build.value)


def _quant(form):
    """A format in the index file's notation."""
    if not isinstance(form, Affine):
        return form.frac_bits
    plain = {name: getattr(form, name) for name in ("zero_point", "scale", "scale_frac_bits")}
    return {name: list(value) if isinstance(value, tuple) else value
            for name, value in plain.items()} | {"dim": form.dim}


def _xs3(case, layer, x):
    bits   = f"_{layer.out_bits}" if hasattr(layer, "out_bits") else ""
    inputs = {"X": x.data}
    if hasattr(layer, "weights"):
        inputs |= {"W" if bits else "K": layer.weights.data, "BSO": layer.bso.data}
    config = {}
    if hasattr(layer, "window"):
        window = layer.window
        config = {"Y_shape": list(layer.output_shape(x.shape)), "K_h": int(layer.kernel[0]),
                  "K_w": int(layer.kernel[1]), "start_row": window.start[0],
                  "start_col": window.start[1], "stride_v": window.stride[0],
                  "stride_h": window.stride[1], "zero_point": getattr(layer, "zero_point", 0)}
    if getattr(layer, "low", -128) != -128:
        raise InputError("Reference vectors of xs3 have no lowest output of -127")
    return CFunctionCall(f"{_XS3.get(case.operation, case.operation)}{bits}", config, inputs,
                         "symmetric-saturation", "Y")


def _tflm(case, layer, x, *others):
    tensors = {"x": x} | ({"z": others[0]} if others else {})
    given   = len(tensors)
    if hasattr(layer, "weights"):
        tensors["weights"] = layer.weights
        if layer.bias is not None:
            tensors["bias"] = layer.bias
    numbers = list(range(len(tensors)))
    entries = [_entry(name, tensor, name in ("weights", "bias"))
               for name, tensor in tensors.items()]
    entries.append(_entry("y", layer.output_like(x, *others), False))
    config = {"options": _options(case, layer), "tensors": entries, "inputs": numbers,
              "outputs": [len(numbers)], "output": 0}
    arrays = [tensor.data for tensor in tensors.values()]
    order  = [*numbers[given:], *numbers[:given]]
    return CFunctionCall(_TFLM[case.operation], config,
                         {str(number): arrays[number] for number in order}, VARIANT)


def _entry(name, tensor, is_constant):
    kind  = tensor.quantisation
    entry = {"name": name, "type": tensor.type_name, "shape": list(tensor.shape),
             "scales": list(kind.scales), "zero_points": list(kind.zero_points)}
    if kind.axis > 0:
        entry["dimension"] = kind.axis
    return entry | ({"constant": True} if is_constant else {})


def _options(case, layer):
    options = {}
    if hasattr(layer, "activation"):
        options["fused_activation_function"] = layer.activation.name
    if hasattr(layer, "stride"):
        options |= {"padding": layer.padding.name, "stride_h": layer.stride[0],
                    "stride_w": layer.stride[1]}
    if hasattr(layer, "dilation"):
        options |= {"dilation_h_factor": layer.dilation[0], "dilation_w_factor": layer.dilation[1]}
    elif hasattr(layer, "kernel"):
        options |= {"filter_height": layer.kernel[0], "filter_width": layer.kernel[1]}
    if case.operation == "depthwise_conv2d":
        options["depth_multiplier"] = layer.outputs // case.inputs[0].shape[3]
    if case.operation == "softmax":
        options["beta"] = layer.beta
    return options


_DIALECTS = {"mli-1": _mli1, "mli-2": _mli2, "xs3": _xs3, "tflm": _tflm}

# SPDX-License-Identifier: Apache-2.0
"""XS3 library vector cases converted to golden layers and their inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window

from .files import VectorError

__all__ = ["DIALECT", "build_layer"]

DIALECT = "xs3"
#: Variant of the expected outputs, with the unit's saturation.
_VARIANT = "symmetric-saturation"


@dataclass(frozen=True)
class _Kernel:
    """Construction of a kernel's layer.

    Parameters
    ----------
    build : function (config, Integers by argument) returning the layer
    inputs : the layer's input argument names
    """

    build:  Callable
    inputs: tuple = ("X",)


def _window(config):
    return Window(tuple(config["Y_shape"][:2]), (config["start_row"], config["start_col"]),
                  (config["stride_v"], config["stride_h"]))


def _dense(out_bits, config, integers):
    return xs3.FullyConnected(integers["W"], integers["BSO"], out_bits)


def _deepin(out_bits, config, integers):
    return xs3.FcDeepin(integers["W"], integers["B"], integers["shifts"], integers["scales"],
                       out_bits)


def _convolution(kind, config, integers):
    columns = {"columns": config["K_w"]} if kind is xs3.Conv2dShallowin else {}
    return kind(integers["K"], integers["BSO"], _window(config), config["zero_point"], **columns)


def _pool(kind, config, integers):
    return kind((config["K_h"], config["K_w"]), _window(config))


def _global_mean(config, integers):
    return xs3.AvgPool2dGlobal(config["bias"], config["scale"], config["shift"])


def _add(config, integers):
    return xs3.AddElementwise((config["shr0"], config["shr1"]), (config["mult0"], config["mult1"]),
                             config["bias"], config["shr"])


def _transform(config, integers):
    group = {"group": True, "channelwise": False}[config["kind"]]
    return xs3.OutputTransform(integers["params"], config["output_count"], config["final_shr"],
                              config["initial_shift"] if group else None)


#: Layer construction by function.
_KERNELS = {
    **{f"fully_connected_{bits}": _Kernel(partial(_dense, bits)) for bits in (16, 8)},
    **{f"fc_deepin_shallowout_{bits}": _Kernel(partial(_deepin, bits)) for bits in (16, 8)},
    "conv2d_deep":      _Kernel(partial(_convolution, xs3.Conv2dDeep)),
    "conv2d_shallowin": _Kernel(partial(_convolution, xs3.Conv2dShallowin)),
    "conv2d_depthwise": _Kernel(partial(_convolution, xs3.Conv2dDepthwise)),
    "conv2d_1x1":       _Kernel(lambda config, integers: xs3.Conv2d1x1(integers["K"],
                                                                      integers["BSO"])),
    "maxpool2d":          _Kernel(partial(_pool, xs3.MaxPool2d)),
    "avgpool2d":          _Kernel(partial(_pool, xs3.AvgPool2d)),
    "avgpool2d_global":   _Kernel(_global_mean),
    "requantize_16_to_8": _Kernel(lambda config, integers: xs3.Requantize16To8()),
    "lookup8":            _Kernel(lambda config, integers: xs3.Lookup8(integers["lut"])),
    "argmax_16":          _Kernel(lambda config, integers: xs3.Argmax16()),
    "add_elementwise":       _Kernel(_add, inputs=("X0", "X1")),
    "output_transform_int8": _Kernel(_transform, inputs=("acc",)),
}


def build_layer(case, variant, arrays):
    """The ``case`` layer, then its Integers; None for an unknown function or ``variant``.

    VectorError if the case lacks its function's data; ValueError for values that the layer refuses.
    """
    kernel = _KERNELS.get(case.function)
    if kernel is None or variant != _VARIANT:
        return None
    if "Y" not in case.expected[variant]:
        raise VectorError(f"Case {case.id} has no expected output 'Y' for {variant}")
    try:
        integers = {name: Integers(arrays[key]) for name, key in case.inputs.items()}
        layer    = kernel.build(case.config, integers)
        inputs   = [integers[name] for name in kernel.inputs]
        layer.check(*inputs)
    except (KeyError, TypeError) as error:
        raise VectorError(f"Case {case.id} is incomplete: {error}") from error
    return layer, *inputs

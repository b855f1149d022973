# SPDX-License-Identifier: Apache-2.0
"""Calls of every function of MLI 2.0, with tensors that lie in memory with gaps if asked."""

import re
from copy import deepcopy
from functools import cache

import numpy as np

from tests.support.calls.mli2 import PATTERN, VECTORS, arguments, fx, params, sa
from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import mli_lut, mli_point_to_subtsr_cfg, mli_sub_tensor_cfg
from xymac.golden.api.mli2.flaws import stride_flaw
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.memory import read, write
from xymac.golden.api.mli2.names import parse
from xymac.golden.api.mli2.types import (
    mli_data_container,
    mli_element_params,
    mli_element_type,
    mli_tensor,
)
from xymac.golden.views import list_places
from xymac.host.vectors.files import read_arrays, read_cases

__all__ = ["call_of", "memories", "random_strides", "tensors_of"]

_FEW    = (12, 900)  # elements of the output at least, of all arrays at most
_TRIALS = 12         # cases that are looked at
_ROOM   = 1 << 14    # bytes of an output of unknown shape
_GOLDEN = Mli()
#: Element types that are converted to one another: FX, SA8 and SA32, all of them with few.
_TYPES  = {"FX_8": (np.int8, fx(3)), "FX_16": (np.int16, fx(9)),
           "SA_8": (np.int8, sa(-7, 9000, 13)), "SA_32": (np.int32, sa(5, 12000, 22))}


def random_strides(shape, rng):
    """Legal strides of a tensor whose elements do not overlap.

    With gaps of any size, multiples of one another, of whole groups, or such that the elements of
    dimensions lie between one another.
    """
    while True:
        kind, steps, inner = int(rng.integers(4)), [], 1
        for axis in reversed(range(len(shape))):
            step = (inner + int(rng.integers(5)), inner * int(rng.integers(1, 4)),
                    inner if axis == len(shape) - 1 else -(-inner // 4) * 4,
                    max(int(np.prod(shape[axis + 1:])) + int(rng.integers(4)), *steps[:1], 1))[kind]
            steps.insert(0, step)
            inner = step * shape[axis]
        places = list_places(shape, steps)
        if stride_flaw(shape, steps) is None and np.unique(places).size == places.size:
            return tuple(steps)


def _random(dtype, count, rng):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, count, dtype, endpoint=True)


def _spread(tensor, values, rng, *, described=True):
    """Give a tensor memory with gaps full of random elements, and ``values`` at their places."""
    steps  = random_strides(values.shape, rng)
    count  = int(list_places(values.shape, steps).max()) + 1 + int(rng.integers(3))
    tensor.data       = mli_data_container(mem=_random(values.dtype, count, rng))
    tensor.mem_stride = steps + (0,) * (4 - len(steps))
    if described:
        write(tensor, values)


def tensors_of(args):
    """Tensors among the arguments of a call, but for the output."""
    for name, value in args.items():
        if name != "out":
            yield from (tensor for tensor in (value if isinstance(value, list) else [value])
                        if isinstance(tensor, mli_tensor))


def memories(args):
    """Bytes of the memory of every tensor of a call, gaps included; its output first."""
    tensors = [*([args["out"]] if "out" in args else []), *tensors_of(args)]
    return [tensor.data.mem.memory.tobytes() for tensor in tensors
            if tensor.data.mem.memory is not None]


@cache
def _all_cases():
    return read_cases(VECTORS)


def _choose_case(function, rng):
    """A random case of a function, a small one unless many are large."""
    cases = [case for case in _all_cases() if case.function == function]
    for index in rng.permutation(len(cases))[:_TRIALS]:
        case, sizes = cases[index], {key: array.size for key, array in
                                     read_arrays(cases[index]).items()}
        if sizes[case.expected["up-full"]["out"]] >= _FEW[0] and sum(sizes.values()) <= _FEW[1]:
            break
    return case


def call_of(name, number=0, *, strided=True):
    """Arguments of a legal call of a function by their names, the same for the same number.

    Those of one of the vendor's cases. Where the name promises a kernel, weights and input repeat
    to sizes that fit it.
    """
    parsed, rng = parse(name), random_of([number, *name.encode()])
    if parsed.primitive in _HELPERS:
        args = _HELPERS[parsed.primitive](rng)
    else:
        case = _choose_case(re.sub("_(k[0-9]x[0-9].*|ext_bias)$", "", name), rng)
        args = arguments(case, read_arrays(case))
        quant = case.config.get("quant", {}).get("out")
        args["out"] = _blank(mli_element_params() if quant is None else params(quant))
        if parsed.spec.kernel_height:
            _fit_kernel(args, parsed.spec)
    if "out" in args and not parsed.primitive.endswith("subtensor"):
        _describe(parsed, args)
    if strided and "out" in args and not parsed.primitive.endswith("subtensor"):
        _spread_all(name, args, rng)
    return args


def _spread_all(name, args, rng):
    trial = deepcopy(args)
    _GOLDEN.function(name)(**trial)
    for tensor in tensors_of(args):
        if tensor.rank:
            _spread(tensor, read(tensor).copy(), rng)
    if "argmax" not in name:  # Places have no gaps.
        _spread(args["out"], read(trial["out"]), rng, described=False)


def _describe(parsed, args):
    """Give the output of a call the shape and the type of its result."""
    call = _GOLDEN.bind(parsed, dict.fromkeys(parsed.options, False) | args)
    out  = args["out"]
    if parsed.primitive == "argmax":
        out.el_type = mli_element_type.MLI_EL_SA_32
        out.data.capacity = 4 * int(np.prod(call.result_shape))
    out.shape, out.rank, out.el_type = call.result_shape, len(call.result_shape), call.out_type


def _blank(kind, el_type=None):
    """An output with room for any."""
    return mli_tensor(np.full(_ROOM, PATTERN, np.int8), shape=(), rank=0, el_type=el_type,
                      el_params=kind)


def _fit_kernel(args, spec):
    kernel, cfg = (spec.kernel_height, spec.kernel_width), args["cfg"]
    image = args["in_"]
    args["in_"] = mli_tensor(np.resize(read(image), (kernel[0] + 2, kernel[1] + 3, image.shape[2])),
                             el_params=image.el_params)
    if "weights" in args:
        weights = args["weights"]
        args["weights"] = mli_tensor(np.resize(read(weights), (*kernel, *weights.shape[2:])),
                                     el_params=weights.el_params)
        cfg.dilation_height = cfg.dilation_width = 1
    else:
        cfg.kernel_height, cfg.kernel_width = kernel
    cfg.stride_height, cfg.stride_width = spec.stride_height or 1, spec.stride_width or 1
    cfg.padding_top = cfg.padding_bottom = cfg.padding_left = cfg.padding_right = 0


def _converter(rng):
    names = list(_TYPES)
    pairs = [(a, b) for a in names for b in names if (a, b) != ("SA_32", "SA_32")]
    (dtype, kind), (_, out) = (_TYPES[name] for name in pairs[int(rng.integers(len(pairs)))])
    shape = tuple(map(int, rng.integers(1, 6, int(rng.integers(1, 5)))))
    target = next(name for name in names if _TYPES[name][1] is out)
    return {"in_": mli_tensor(_random(dtype, shape, rng), el_params=kind),
            "out": _blank(out, mli_element_type[f"MLI_EL_{target}"])}


def _image(rng):
    return mli_tensor(_random(np.int8, (3, 4, 5), rng), el_params=sa(-7, 9, 11))


_HELPERS = {
    "convert_tensor":      _converter,
    "convert_tensor_safx": _converter,
    "count_elem_num":      lambda rng: {"in_": _image(rng), "start_dim": 1},
    "tensor_element_size": lambda rng: {"in_": _image(rng)},
    "tensor_scale":        lambda rng: {"in_": _image(rng), "scale_idx": 0},
    "tensor_scale_shift":  lambda rng: {"in_": _image(rng), "scale_idx": 0},
    "tensor_zero_offset":  lambda rng: {"in_": _image(rng), "zero_idx": 0},
    "tensor_data_ptr_cmp": lambda rng: {"in1": _image(rng), "in2": _image(rng)},
    "set_tensor_mem_strides": lambda rng: {"in_": _image(rng)},
    **{f"accu_guard_bits_{types}": lambda rng: {} for types in (
        "sa8_sa8", "fx16_fx16", "fx16_fx8")},
    "point_to_subtensor":  lambda rng: {"in_": _image(rng), "out": mli_tensor(),
                                        "cfg": mli_point_to_subtsr_cfg((1, 1), 2, 2)},
    "create_subtensor":    lambda rng: {"in_": _image(rng), "out": mli_tensor(),
                                        "cfg": mli_sub_tensor_cfg((1, 0, 1), (1, 3, 2), 2)},
    **{f"{name}_get_lut_size": lambda rng: {} for name in (
        "sigm", "tanh", "softmax", "l2_normalize")},
    **{f"{name}_create_lut": lambda rng: {"lut": mli_lut(np.zeros(8192, np.int8))} for name in (
        "sigm", "tanh", "softmax", "l2_normalize")},
}

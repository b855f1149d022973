# SPDX-License-Identifier: Apache-2.0
"""Conditions common to the MLI 2.0 functions, and the status for each violation.

Statuses follow the library's own checks, as for 1.x; see ``xymac.golden.api.rules``. The library
sometimes requires contiguous memory or a last stride of 1; the functions here accept any legal
strides. ``results`` has the conditions on outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.rules import (
    BAD_TENSOR,
    CFG,
    INCOMPATIBLE,
    MEMORY,
    SHAPE,
    TYPE,
    UNSUPPORTED,
    Condition,
    label,
    member,
)
from xymac.golden.api.types import is_count, mli_relu_cfg, mli_relu_type
from xymac.golden.fixed import container
from xymac.golden.mli2.tensor import Element
from xymac.golden.views import have_overlaps

from .flaws import container_flaw, params_flaw, tensor_flaw
from .memory import available, dims, elements, size_of, span, start_of, strides_of, used
from .results import within
from .types import mli_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AXIS", "FORMATTED", "RECTIFIED", "all_valid", "apart", "in_place", "one_scale",
           "output", "scalar", "small_zero", "supported", "symmetric", "typed", "valid"]


def needed(tensor: mli_tensor) -> int:
    """Bytes from a tensor's first to its last element."""
    if not tensor.rank:
        return 0
    shape = dims(tensor)
    return size_of(span(shape, strides_of(shape, tensor.mem_stride)), tensor.el_type)


def _fits(tensor):
    return needed(tensor), available(tensor) if tensor.rank else 0


def _lie_on_one_another(tensor):
    """Whether two tensor elements within its capacity take the same memory, and why."""
    shape = dims(tensor)
    return have_overlaps(shape, strides_of(shape, tensor.mem_stride)), shape, tensor.mem_stride


def valid(*arguments: str, scalar: bool = False) -> tuple[Condition, ...]:
    """Conditions: tensors are valid and within their capacity, without overlapping elements.

    ``scalar`` admits values stored instead of a pointer.
    """
    return tuple(condition for name in arguments for condition in (
        Condition(BAD_TENSOR, f"{label(name)} must be a valid tensor",
                  lambda call, name=name: tensor_flaw(getattr(call, name), scalar),
                  lambda flaw: flaw is None),
        Condition(MEMORY, f"The bytes of {label(name)} must lie within its capacity",
                  lambda call, name=name: _fits(getattr(call, name)), within),
        Condition(BAD_TENSOR, f"Elements of {label(name)} must not overlap",
                  lambda call, name=name: _lie_on_one_another(getattr(call, name)),
                  lambda overlap: not overlap[0])))


def all_valid(argument: str, tensors: str) -> tuple[Condition, Condition, Condition]:
    """The ``valid`` conditions for a tensor list."""
    return (
        Condition(BAD_TENSOR, f"Every tensor of {argument} must be valid",
                  lambda call: next(filter(None, map(tensor_flaw, getattr(call, tensors))), None),
                  lambda flaw: flaw is None),
        Condition(MEMORY, f"The bytes of {argument} must lie within their capacity",
                  lambda call: [_fits(tensor) for tensor in getattr(call, tensors)],
                  lambda pairs: all(map(within, pairs))),
        Condition(BAD_TENSOR, f"Elements of {argument} must not overlap",
                  lambda call: list(map(_lie_on_one_another, getattr(call, tensors))),
                  lambda overlaps: not any(overlap[0] for overlap in overlaps)))


def _output_flaw(tensor):
    if not isinstance(tensor, mli_tensor):
        return f"{type(tensor).__name__}, no mli_tensor"
    return container_flaw(tensor.data, writes=True)


def output(name: str = "out") -> Condition:
    """Condition: a tensor has writable memory; its other fields do not matter."""
    return Condition(BAD_TENSOR, f"{name} must be a tensor with memory",
                     lambda call: _output_flaw(getattr(call, name)), lambda flaw: flaw is None)


def _format_flaw(call):
    if call.formats:
        return None
    sa = call.out.el_params.sa
    if not call.converts and sa is not None and sa.dim >= 0:
        return f"sa.dim {sa.dim}, not negative for one scale"
    return params_flaw(call.out.el_params, call.out_type, dims(call.first))


#: Condition: the caller sets the output parameters that the function does not set.
FORMATTED = Condition(
    BAD_TENSOR, "out must have the parameters of its elements", _format_flaw,
    lambda flaw: flaw is None)


def _extent(call, name):
    """Memory bytes that the call reads or writes for an argument, a view."""
    if name == "out":
        return used(call.out, call.output_shape, call.out_type, call.output_strides)
    return used(getattr(call, name) if isinstance(name, str) else name)


def _overlapping(call, first, second):
    return np.shares_memory(_extent(call, first), _extent(call, second))


def apart(*names: str, pairs: Callable | None = None) -> Condition:
    """Condition: ``out``, or each pair's first tensor, shares no element memory with the others."""
    def collect_overlaps(call):
        wanted = [("out", name) for name in names] if pairs is None else pairs(call)
        return [f"{label(first)} on {label(second)}" for first, second in wanted
                if _overlapping(call, first, second)]
    return Condition(BAD_TENSOR, "Memory of tensors must not overlap",
                     collect_overlaps, lambda wrong: not wrong)


def in_place(*names: str, allowed: Callable = lambda call: True) -> Condition:
    """Condition: ``out`` starts where an input does, with its strides, or does not overlap it."""
    def same(call, name):
        tensor = getattr(call, name)
        return (start_of(call.out) == start_of(tensor) and allowed(call)
                and call.output_strides == strides_of(dims(tensor), tensor.mem_stride))

    def collect_overlaps(call):
        return [label(name) for name in names
                if _overlapping(call, "out", name) and not same(call, name)]
    return Condition(BAD_TENSOR, "out must have start and strides of an input, or be apart",
                     collect_overlaps, lambda wrong: not wrong)


_TYPES = {"fx8": (Element.FX_8,) * 3, "fx16": (Element.FX_16,) * 3, "sa8": (Element.SA_8,) * 3,
          "fx16_fx8_fx8": (Element.FX_16, Element.FX_8, Element.FX_8),
          "sa8_sa8_sa32": (Element.SA_8, Element.SA_8, Element.SA_32)}


def typed(data: tuple[str, ...], weights: tuple[str, ...] = (), bias: tuple[str, ...] = (),
          lists: tuple[str, ...] = ()) -> Condition:
    """Condition: the data, weight and bias element types match the function name.

    ``lists`` are call properties that hold data, then weights.
    """
    def collect_wrong(call):
        types  = _TYPES[call.name.data_type.removesuffix("_ext_bias")]
        groups = [(label(name), [getattr(call, name)], kind)
                  for names, kind in zip((data, weights, bias), types, strict=True)
                  for name in names]
        groups += [(name, getattr(call, name), kind)
                   for name, kind in zip(lists, types, strict=False)]
        return [f"{name} of type {tensor.el_type:#05x}" for name, tensors, kind in groups
                for tensor in tensors if tensor.el_type != kind.value]
    return Condition(TYPE, "Element types must match the function's name",
                     collect_wrong, lambda wrong: not wrong)


def _tensors(call, names):
    """Tensors with SA elements by name; the output as its caller describes it."""
    for name in names:
        if name == "out" and call.formats:
            continue
        held = getattr(call, name)
        for tensor in held if isinstance(held, list) else [held]:
            el_type = call.out_type if name == "out" else tensor.el_type
            if el_type >> 8 == 1:
                yield label(name), tensor


def one_scale(*names: str) -> Condition:
    """Condition: each SA tensor has a single scale."""
    return Condition(
        INCOMPATIBLE, "Tensors must have one scale each",
        lambda call: [f"{name} along dimension {tensor.el_params.sa.dim}"
                      for name, tensor in _tensors(call, names) if tensor.el_params.sa.dim >= 0],
        lambda wrong: not wrong)


def _zeros(tensor):
    """A tensor's zero points, a list of int."""
    held = tensor.el_params.sa.zero_point
    return [held.mem.i16] if held.mem.memory is None else held.mem.pi16.tolist()


def small_zero(*names: str) -> Condition:
    """Condition: zero points in SA tensors fit 8 bits."""
    low, high = container(8)
    return Condition(
        INCOMPATIBLE, f"Zero points must be {low} .. {high}",
        lambda call: [f"{name} with {zero}" for name, tensor in _tensors(call, names)
                      for zero in _zeros(tensor) if not low <= zero <= high],
        lambda wrong: not wrong)


def symmetric(*names: str) -> Condition:
    """Condition: zero points in SA weights and bias are 0."""
    return Condition(
        INCOMPATIBLE, "Zero points of weights and bias must be 0",
        lambda call: [f"{name} with {zero}" for name, tensor in _tensors(call, names)
                      for zero in _zeros(tensor) if zero],
        lambda wrong: not wrong)


def scalar(name: str) -> Condition:
    """Condition: a tensor has one element."""
    return Condition(SHAPE, f"{name} must have one element",
                     lambda call: elements(getattr(call, name)), lambda count: count == 1)


#: Conditions: a configuration has a valid ReLU.
RECTIFIED = (
    Condition(CFG, "relu must be an mli_relu_cfg", lambda call: call.cfg.relu,
              lambda relu: isinstance(relu, mli_relu_cfg)),
    member(mli_relu_type, "relu.type", lambda call: call.cfg.relu.type))
AXIS = Condition(
    CFG, "axis must be negative or less than the rank of the input",
    lambda call: (call.cfg.axis, call.in_.rank),
    lambda pair: is_count(pair[0], -2 ** 31, pair[1] - 1))


def supported(types: tuple[str, ...], *names: str) -> Condition:
    """Condition: a helper supports its tensors' element types."""
    return Condition(
        UNSUPPORTED, f"Element types must be {', '.join(types)}",
        lambda call: [Element(getattr(call, name).el_type).name for name in names],
        lambda names: all(name in types for name in names))

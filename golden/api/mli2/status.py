"""Rules that a call of MLI 2.0 can break, and the status that each gives: the common ones.

Statuses are those of the library's own checks, as for 1.x; see ``golden.api.rules``. Unlike the
library, which wants contiguous memory or a last stride of 1 in places, functions here take any
legal strides. Conditions on outputs are in ``results``.
"""

import numpy as np

from golden.api.rules import (
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
from golden.api.types import is_count, mli_relu_cfg, mli_relu_type
from golden.fixed import container
from golden.mli2.tensor import Element
from golden.views import have_overlaps

from .flaws import container_flaw, params_flaw, tensor_flaw
from .memory import available, dims, elements, size_of, span, start_of, strides_of, used
from .results import within
from .types import mli_tensor

__all__ = ["AXIS", "FORMATTED", "RECTIFIED", "all_valid", "apart", "in_place", "one_scale",
           "output", "scalar", "small_zero", "supported", "symmetric", "typed", "valid"]


def needed(tensor):
    """Bytes from the first to the last element of a tensor."""
    if not tensor.rank:
        return 0
    shape = dims(tensor)
    return size_of(span(shape, strides_of(shape, tensor.mem_stride)), tensor.el_type)


def _fits(tensor):
    return needed(tensor), available(tensor) if tensor.rank else 0


def _lie_on_one_another(tensor):
    """Whether two elements of a tensor within its capacity take the same memory, and why."""
    shape = dims(tensor)
    return have_overlaps(shape, strides_of(shape, tensor.mem_stride)), shape, tensor.mem_stride


def valid(*arguments, scalar=False):
    """Conditions that tensors are valid and within their capacity, elements apart.

    ``scalar`` admits values stored in place of a pointer.
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


def all_valid(argument, tensors):
    """The same for a list of tensors that take part."""
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


def output(name="out"):
    """Condition that a tensor has memory to write to, whatever its other fields."""
    return Condition(BAD_TENSOR, f"{name} must be a tensor with memory",
                     lambda call: _output_flaw(getattr(call, name)), lambda flaw: flaw is None)


def _format_flaw(call):
    if call.formats:
        return None
    sa = call.out.el_params.sa
    if not call.converts and sa is not None and sa.dim >= 0:
        return f"sa.dim {sa.dim}, not negative for one scale"
    return params_flaw(call.out.el_params, call.out_type, dims(call.first))


#: Condition that the caller gives the parameters of the output where the function does not.
FORMATTED = Condition(
    BAD_TENSOR, "out must have the parameters of its elements", _format_flaw,
    lambda flaw: flaw is None)


def _extent(call, name):
    """Bytes of an argument that the call reads or writes."""
    if name == "out":
        return used(call.out, call.output_shape, call.out_type, call.output_strides)
    return used(getattr(call, name) if isinstance(name, str) else name)


def _overlapping(call, first, second):
    return np.shares_memory(_extent(call, first), _extent(call, second))


def apart(*names, pairs=None):
    """Condition that elements of ``out``, or of each of ``pairs``, are apart from the others."""
    def collect_overlaps(call):
        wanted = [("out", name) for name in names] if pairs is None else pairs(call)
        return [f"{label(first)} on {label(second)}" for first, second in wanted
                if _overlapping(call, first, second)]
    return Condition(BAD_TENSOR, "Memory of tensors must not overlap",
                     collect_overlaps, lambda wrong: not wrong)


def in_place(*names, allowed=lambda call: True):
    """Condition that ``out`` has start and strides of an input, or is apart from it."""
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


def typed(data, weights=(), bias=(), lists=()):
    """Condition that element types are those of the name: those of data, weights and bias.

    ``lists`` are properties of the call that hold data, then weights.
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
    return Condition(TYPE, "Element types must be those of the function's name",
                     collect_wrong, lambda wrong: not wrong)


def _tensors(call, names):
    """Tensors of SA elements under their names; the output as its caller describes it."""
    for name in names:
        if name == "out" and call.formats:
            continue
        held = getattr(call, name)
        for tensor in held if isinstance(held, list) else [held]:
            el_type = call.out_type if name == "out" else tensor.el_type
            if el_type >> 8 == 1:
                yield label(name), tensor


def one_scale(*names):
    """Condition that tensors of SA elements have one scale for their whole."""
    return Condition(
        INCOMPATIBLE, "Tensors must have one scale each",
        lambda call: [f"{name} along dimension {tensor.el_params.sa.dim}"
                      for name, tensor in _tensors(call, names) if tensor.el_params.sa.dim >= 0],
        lambda wrong: not wrong)


def _zeros(tensor):
    """Zero points of a tensor, those of its arrays if there are."""
    held = tensor.el_params.sa.zero_point
    return [held.mem.i16] if held.mem.memory is None else held.mem.pi16.tolist()


def small_zero(*names):
    """Condition that zero points of tensors of SA elements are values of 8 bits."""
    low, high = container(8)
    return Condition(
        INCOMPATIBLE, f"Zero points must be {low} .. {high}",
        lambda call: [f"{name} with {zero}" for name, tensor in _tensors(call, names)
                      for zero in _zeros(tensor) if not low <= zero <= high],
        lambda wrong: not wrong)


def symmetric(*names):
    """Condition that zero points of weights and bias of SA elements are 0."""
    return Condition(
        INCOMPATIBLE, "Zero points of weights and bias must be 0",
        lambda call: [f"{name} with {zero}" for name, tensor in _tensors(call, names)
                      for zero in _zeros(tensor) if zero],
        lambda wrong: not wrong)


def scalar(name):
    """Condition that a tensor has one element."""
    return Condition(SHAPE, f"{name} must have one element",
                     lambda call: elements(getattr(call, name)), lambda count: count == 1)


#: Conditions that a configuration holds a ReLU.
RECTIFIED = (
    Condition(CFG, "relu must be an mli_relu_cfg", lambda call: call.cfg.relu,
              lambda relu: isinstance(relu, mli_relu_cfg)),
    member(mli_relu_type, "relu.type", lambda call: call.cfg.relu.type))
AXIS = Condition(
    CFG, "axis must be negative or less than the rank of the input",
    lambda call: (call.cfg.axis, call.in_.rank),
    lambda pair: is_count(pair[0], -2 ** 31, pair[1] - 1))


def supported(types, *names):
    """Condition that a helper is for the element types of its tensors."""
    return Condition(
        UNSUPPORTED, f"Element types must be {', '.join(types)}",
        lambda call: [Element(getattr(call, name).el_type).name for name in names],
        lambda names: all(name in types for name in names))

# SPDX-License-Identifier: Apache-2.0
"""Conditions common to the MLI 1.x functions, and the status for each violation."""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.rules import BAD_TENSOR, MEMORY, SHAPE, TYPE, Condition, Scope, label
from xymac.golden.api.types import MLI_MAX_RANK, elements, is_count

from .memory import dtype_of, element_size, held_bytes, memory
from .types import mli_element_type, mli_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.types import mli_status

    from .calls import Call

__all__ = ["FX", "apart", "buffer", "bytes_of", "enough", "frac_bits", "in_place", "scalar",
           "typed", "valid"]

FX = (mli_element_type.MLI_EL_FX_8, mli_element_type.MLI_EL_FX_16)

#: Possible flaws of a tensor's fields, and their tests.
_FLAWS = (
    ("no mli_tensor", lambda t: not isinstance(t, mli_tensor)),
    (f"rank outside 0 .. {MLI_MAX_RANK}", lambda t: not is_count(t.rank, 0, MLI_MAX_RANK)),
    ("fewer dimensions than rank", lambda t: len(t.shape) < t.rank),
    ("empty dimension", lambda t: not all(is_count(size, 1, 2 ** 32 - 1)
                                          for size in t.shape[:t.rank])),
    ("unknown element type", lambda t: element_size(t.el_type) == 0),
    ("frac_bits outside 0 .. 255", lambda t: not is_count(t.el_params.fx.frac_bits)),
)
#: The same where ``data`` points to memory.
_POINTED = (
    ("rank 0", lambda t: t.rank == 0),
    ("no memory", lambda t: memory(t) is None),
    ("bad capacity", lambda t: not is_count(t.capacity, 0, 2 ** 32 - 1)),
    ("more elements than memory",
     lambda t: elements(t) * element_size(t.el_type) > held_bytes(t).size),
)


def _flaw(tensor, flaws):
    return next((text for text, test in flaws if test(tensor)), None)


def _is_value(tensor):
    """Whether a rank-0 tensor's data are a value within its element type."""
    data = tensor.data
    if isinstance(data, np.ndarray) and data.ndim == 0:
        data = data[()]
    if tensor.el_type not in FX:
        return True
    info = np.iinfo(dtype_of(tensor.el_type))
    return is_count(data, info.min, info.max)


def _flaw_of(tensor, rank0):
    flaw = _flaw(tensor, _FLAWS)
    if flaw is None and rank0 and tensor.rank == 0:
        return None if _is_value(tensor) else "no value of its element type"
    return flaw or _flaw(tensor, _POINTED)


def _lack_of(tensor, _):
    needed = elements(tensor) * element_size(tensor.el_type) if tensor.rank else 0
    return "more elements than capacity" if needed > tensor.capacity else None


def valid(*arguments: str, rank0: bool = False) -> tuple[Condition, ...]:
    """Conditions: tensors are valid; ``rank0`` admits values stored instead of a pointer.

    Of each tensor, the first condition holds always, the second is that of the debug modes: release
    mode does not read ``capacity`` of an input.
    """
    return tuple(Condition(
        BAD_TENSOR, f"{label(name)} must be a valid tensor",
        lambda call, name=name, flaw=flaw: flaw(getattr(call, name), rank0),
        lambda found: found is None, scope)
        for name in arguments
        for flaw, scope in ((_flaw_of, Scope.ALWAYS), (_lack_of, Scope.MODES)))


def buffer(name: str = "out", status: mli_status = BAD_TENSOR) -> Condition:
    """Condition: a tensor has writable memory; its other fields do not matter."""
    def flaw(call):
        tensor = attrgetter(name)(call)
        if not isinstance(tensor, mli_tensor):
            return "no mli_tensor"
        held = memory(tensor)
        if held is None or not held.flags.writeable:
            return "no memory to write to"
        return None if is_count(tensor.capacity, 0, 2 ** 32 - 1) else "bad capacity"
    return Condition(status, f"{name} must be a tensor with memory", flaw,
                     lambda flaw: flaw is None)


def frac_bits(name: str = "out") -> Condition:
    """Condition: the caller sets an output's fractional bits."""
    return Condition(
        BAD_TENSOR, f"frac_bits of {name} must be 0 .. 255",
        lambda call: getattr(call, name).el_params.fx.frac_bits, is_count)


_DATA = {"fx8": FX[0], "fx16": FX[1], "fx8w16d": FX[1], "sa8": mli_element_type.MLI_EL_ASYM_I8}
_CONSTANTS = {"fx8": FX[0], "fx16": FX[1], "fx8w16d": FX[0]}


def typed(*data: str) -> Condition:
    """Condition: the element types match the function name; ``data`` are arguments besides the
    constants.
    """
    def collect_wrong(call):
        kind   = call.name.data_type
        table  = {**dict.fromkeys(data, _DATA.get(kind)),
                  **dict.fromkeys(("weights", "bias"), _CONSTANTS.get(kind))}
        return [name.rstrip("_") for name, expected in table.items() if hasattr(call, name)
                and getattr(call, name).el_type not in (FX if expected is None else (expected,))]
    return Condition(
        TYPE, "Element types must match the function's name",
        collect_wrong, lambda wrong: not wrong)


def scalar(name: str) -> Condition:
    """Condition: a tensor has one element."""
    return Condition(
        SHAPE, f"{name} must have one element",
        lambda call: elements(getattr(call, name)), lambda count: count == 1)


def enough(name: str = "out", needed: Callable = attrgetter("output_bytes")) -> Condition:
    """Condition: a tensor has enough memory for the bytes written to it."""
    def measure(call):
        tensor = attrgetter(name)(call)
        return needed(call), min(tensor.capacity, held_bytes(tensor).size)
    return Condition(
        MEMORY, f"{name} must have room for all bytes",
        measure, lambda pair: pair[0] <= pair[1])


def _extent(call, name):
    """Memory bytes that the call reads or writes for an argument, a view."""
    tensor = attrgetter(name)(call) if isinstance(name, str) else name
    if name == "out":
        return held_bytes(tensor)[:call.output_bytes]
    if name == "cfg.ir_tsr":
        return held_bytes(tensor)[:tensor.capacity]
    if tensor.rank == 0:
        return np.zeros(0, np.uint8)
    return held_bytes(tensor)[:elements(tensor) * element_size(tensor.el_type)]


def _overlapping(call, first, second):
    """Whether two tensors in a call share memory."""
    return np.shares_memory(_extent(call, first), _extent(call, second))


def apart(*names: str, pairs: Callable | None = None,
          scope: Scope = Scope.ALWAYS) -> Condition:
    """Condition: ``out``, or each pair's first tensor, does not overlap the others in memory."""
    def collect_overlaps(call):
        wanted = [("out", name) for name in names] if pairs is None else pairs(call)
        return [f"{label(first)} on {label(second)}" for first, second in wanted
                if _overlapping(call, first, second)]
    return Condition(BAD_TENSOR, "Memory of tensors must not overlap",
                     collect_overlaps, lambda wrong: not wrong, scope)


def in_place(*names: str, allowed: Callable = lambda call: True) -> Condition:
    """Condition: ``out`` starts where an input starts, or does not overlap it."""
    def collect_overlaps(call):
        def start(name):
            return _extent(call, name).__array_interface__["data"][0]
        return [label(name) for name in names if _overlapping(call, "out", name)
                and not (start("out") == start(name) and allowed(call))]
    return Condition(
        BAD_TENSOR, "out must start where an input does, or be apart",
        collect_overlaps, lambda wrong: not wrong)


def bytes_of(call: Call, *shape: int) -> int:
    """Size in bytes for ``shape`` elements with the first input's type."""
    return prod(shape) * element_size(call.first.el_type)

"""Rules that a call of MLI 1.x can break, and the status that each gives: the common ones.

Where the documents name no code for a rule, it is that of the library's own check of it; for a
rule that the library does not check either: overlapping memory is a bad tensor, a window larger
than the image a mismatch of shapes where weights make it and a bad configuration in pooling, and
what only the golden model refuses is not supported.
"""

from dataclasses import dataclass
from math import prod
from operator import attrgetter

import numpy as np

from .types import (
    MLI_MAX_RANK,
    dtype_of,
    element_size,
    elements,
    is_count,
    memory,
    mli_element_type,
    mli_status,
    mli_tensor,
)

__all__ = [
    "BAD_TENSOR", "CFG", "FX", "INCOMPATIBLE", "PADDING", "SHAPE", "SPEC", "TYPE", "UNSUPPORTED",
    "Condition", "Refusal", "apart", "buffer", "bytes_of", "configured", "counts", "enough",
    "frac_bits", "in_place", "member", "rank", "same", "scalar", "typed", "valid",
]

FX           = (mli_element_type.MLI_EL_FX_8, mli_element_type.MLI_EL_FX_16)
PADDING      = ("padding_left", "padding_right", "padding_top", "padding_bottom")
BAD_TENSOR   = mli_status.MLI_STATUS_BAD_TENSOR
SHAPE        = mli_status.MLI_STATUS_SHAPE_MISMATCH
INCOMPATIBLE = mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS
CFG          = mli_status.MLI_STATUS_BAD_FUNC_CFG
MEMORY       = mli_status.MLI_STATUS_NOT_ENGH_MEM
UNSUPPORTED  = mli_status.MLI_STATUS_NOT_SUPPORTED
SPEC         = mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH
TYPE         = mli_status.MLI_STATUS_TYPE_MISMATCH


#: What may be wrong with the fields of a tensor, and the test for it.
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
     lambda t: elements(t) * element_size(t.el_type) > min(t.capacity, memory(t).size)),
)


class Refusal(ValueError):
    """What the golden model does not process, whatever the documents say."""


@dataclass(frozen=True)
class Condition:
    """One rule: ``ok`` of ``value`` of the call, or else ``status`` with ``text``."""

    status: mli_status
    text:   str
    value:  object
    ok:     object

    def violation(self, call):
        """Sentence on what ``call`` breaks, or None; a field of a wrong kind breaks it as well."""
        try:
            value = self.value(call)
            return None if self.ok(value) else f"{self.text}; found {value}"
        except Refusal:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            return f"{self.text}; found {error}"


def same(values):
    """Whether all values are equal."""
    return all(value == values[0] for value in values)


def rank(name, expected):
    """Condition that a tensor has so many dimensions."""
    return Condition(SHAPE, f"Rank of {name.rstrip('_')} must be {expected}",
                     lambda call: getattr(call, name).rank, lambda found: found == expected)


def member(kind, field, get):
    """Condition that a field of the configuration is one of an enumeration."""
    return Condition(CFG, f"{field} must be an {kind.__name__}", get,
                     lambda value: is_count(value, 0, len(kind) - 1))


def _flaw(tensor, flaws):
    return next((text for text, test in flaws if test(tensor)), None)


def _is_value(tensor):
    """Whether the data of a tensor of rank 0 is a value of its element type."""
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


def valid(*arguments, rank0=False):
    """Conditions that tensors are valid; ``rank0`` admits values stored in place of a pointer."""
    return tuple(Condition(
        BAD_TENSOR, f"{name.rstrip('_')} must be a valid tensor",
        lambda call, name=name: _flaw_of(getattr(call, name), rank0), lambda flaw: flaw is None)
        for name in arguments)


def buffer(name="out", status=BAD_TENSOR):
    """Condition that a tensor has memory to write to, whatever its other fields."""
    def flaw(call):
        tensor = attrgetter(name)(call)
        if not isinstance(tensor, mli_tensor):
            return "no mli_tensor"
        if memory(tensor) is None or not tensor.data.flags.writeable:
            return "no memory to write to"
        return None if is_count(tensor.capacity, 0, 2 ** 32 - 1) else "bad capacity"
    return Condition(status, f"{name} must be a tensor with memory", flaw,
                     lambda flaw: flaw is None)


def frac_bits(name="out"):
    """Condition that the caller gives the fractional bits of an output."""
    return Condition(
        BAD_TENSOR, f"frac_bits of {name} must be 0 .. 255",
        lambda call: getattr(call, name).el_params.fx.frac_bits, is_count)


def configured(kind):
    """Condition that the configuration is a structure of its kind."""
    return Condition(CFG, f"cfg must be a {kind.__name__}",
                     lambda call: call.cfg, lambda cfg: isinstance(cfg, kind))


def counts(*fields, low=0):
    """Conditions that fields of the configuration are uint8 from ``low`` on."""
    return tuple(Condition(
        CFG, f"{name} must be {low} .. 255",
        lambda call, name=name: getattr(call.cfg, name),
        lambda value: is_count(value, low)) for name in fields)


_DATA = {"fx8": FX[0], "fx16": FX[1], "fx8w16d": FX[1]}
_CONSTANTS = {"fx8": FX[0], "fx16": FX[1], "fx8w16d": FX[0]}


def typed(*data):
    """Condition that the element types are those of the name; ``data`` besides the constants."""
    def found(call):
        kind   = call.name.data_type
        table  = {**dict.fromkeys(data, _DATA.get(kind)),
                  **dict.fromkeys(("weights", "bias"), _CONSTANTS.get(kind))}
        return [name.rstrip("_") for name, expected in table.items() if hasattr(call, name)
                and getattr(call, name).el_type not in ((expected,) if expected in FX else FX)]
    return Condition(
        TYPE, "Element types must be those of the function's name",
        found, lambda wrong: not wrong)


def scalar(name):
    """Condition that a tensor has one element."""
    return Condition(
        SHAPE, f"{name} must have one element",
        lambda call: elements(getattr(call, name)), lambda count: count == 1)


def enough(name="out", needed=attrgetter("output_bytes")):
    """Condition that a tensor has room for what is written to it."""
    def found(call):
        tensor = attrgetter(name)(call)
        return needed(call), min(tensor.capacity, memory(tensor).size)
    return Condition(
        MEMORY, f"{name} must have room for all bytes",
        found, lambda pair: pair[0] <= pair[1])


def _extent(call, name):
    """Bytes of an argument that the call reads or writes."""
    tensor = attrgetter(name)(call) if isinstance(name, str) else name
    if name == "out":
        return memory(tensor)[:call.output_bytes]
    if name == "cfg.ir_tsr":
        return memory(tensor)[:tensor.capacity]
    if tensor.rank == 0:
        return np.zeros(0, np.uint8)
    return memory(tensor)[:elements(tensor) * element_size(tensor.el_type)]


def _overlapping(call, first, second):
    """Whether two tensors of a call share memory."""
    return np.shares_memory(_extent(call, first), _extent(call, second))


def apart(*names, pairs=None):
    """Condition that the memory of ``out``, or of each of ``pairs``, is apart from the others."""
    def found(call):
        wanted = [("out", name) for name in names] if pairs is None else pairs(call)
        return [f"{_label(first)} on {_label(second)}" for first, second in wanted
                if _overlapping(call, first, second)]
    return Condition(BAD_TENSOR, "Memory of tensors must not overlap",
                     found, lambda wrong: not wrong)


def _label(name):
    return name.rstrip("_") if isinstance(name, str) else "input"


def in_place(*names, allowed=lambda call: True):
    """Condition that ``out`` starts where an input starts, or is apart from it."""
    def found(call):
        def start(name):
            return _extent(call, name).__array_interface__["data"][0]
        return [_label(name) for name in names if _overlapping(call, "out", name)
                and not (start("out") == start(name) and allowed(call))]
    return Condition(
        BAD_TENSOR, "out must start where an input does, or be apart",
        found, lambda wrong: not wrong)


def bytes_of(call, *shape):
    """Bytes of elements of the type of the first input."""
    return prod(shape) * element_size(call.first.el_type)

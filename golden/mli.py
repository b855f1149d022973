"""Every function of MLI 1.0 and 1.1 under its documented name, over the golden kernels.

``mli.mli_krn_conv2d_chw_fx16(in_, weights, bias, cfg, out)`` and every name that the naming
convention spells, as ``mli_krn_conv2d_chw_fx16_k3x3_str1``, take tensors and configurations of
``golden.mli_types`` in the order of the documents and return an ``mli_status``.

One option is not in the documents: ``mli_krn_leaky_relu_fx16(in_, slope_coeff, out,
documented=True)`` applies a slope of 15 fractional bits below 0, as the documents say. Without it
such a slope is applied above 0, as the library does; see ``golden.LeakyRelu``.
"""

from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, Signature
from math import prod

from hdl.isa import RoundMode

from . import mli_types, run
from .mli_conditions import CONDITIONS
from .mli_debug import DebugMode
from .mli_layers import Call
from .mli_names import parse
from .mli_status import Refusal
from .mli_types import (
    ENUMERATIONS,
    MLI_MAX_RANK,
    describe,
    dims,
    element_size,
    is_count,
    mli_status,
    mli_tensor,
    read,
    write,
)

__all__ = ["Function", "Mli", "debug_mode", "function"]

_OK = mli_status.MLI_STATUS_OK
#: What a call with wrong arguments can run into where nothing is checked first.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Mli:
    """The functions as attributes.

    Parameters
    ----------
    evaluate : function of a layer and its inputs to a Result; ``golden.run`` or that of a device
    rounding : RoundMode, of halves; the library sets it when it is built
    version : "1.0" or "1.1", whose debug modes there are
    debug : value of ``MLI_DEBUG_MODE`` or name of a mode
    """

    def __init__(self, evaluate=run, rounding=RoundMode.CONVERGENT, version="1.1", debug=0):
        self.evaluate, self.rounding = evaluate, rounding
        self.mode = DebugMode.of(version, debug)

    def function(self, name):
        """Look a function up by name; AttributeError if the convention cannot spell it."""
        return Function(self, parse(name))

    def __getattr__(self, name):
        if not name.startswith("mli_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return self.function(name)


@dataclass(frozen=True)
class Function:
    """One function of the library; call it with the arguments of the documents in their order.

    The leaky ReLU also takes ``documented``, a bool, by keyword: see the module.
    In release mode nothing is checked first; a call that cannot be processed raises ValueError
    with the condition that it breaks. Functions for asymmetric types, and depthwise convolution
    in HWC, are not there: ``MLI_STATUS_NOT_SUPPORTED`` in every mode.
    """

    library: Mli
    name:    object

    @property
    def __name__(self):
        return self.name.text

    @cached_property
    def __signature__(self):
        options = (Parameter(option, Parameter.KEYWORD_ONLY, default=False)
                   for option in self.name.options)
        return Signature([*(Parameter(argument, Parameter.POSITIONAL_OR_KEYWORD)
                            for argument in self.name.arguments), *options])

    def __call__(self, *args, **kwargs):
        bound = dict.fromkeys(self.name.options, False)
        bound |= self.__signature__.bind(*args, **kwargs).arguments
        if self.name.primitive in _NUMBERS:
            return _NUMBERS[self.name.primitive](**bound)
        if not self.name.exists:
            return mli_status.MLI_STATUS_NOT_SUPPORTED
        call, mode = Call(self.name, self.library.rounding, bound), self.library.mode
        if mode.examines:
            violation = _violation(call)
            if violation is not None:
                return mode.refuse(self.name.text, *violation)
            return self._apply(call)
        try:
            return self._apply(call)
        except _MISTAKES as error:
            _, text = _violation(Call(self.name, self.library.rounding, bound)) or (None, error)
            raise ValueError(f"{self.name.text}: {text}") from None

    def _apply(self, call):
        if self.name.primitive == "point_to_subtensor":
            _point(call)
            return _OK
        if call.output_bytes > mli_types.memory(call.out).size:
            raise ValueError("out must have room for all bytes")
        result = self.library.evaluate(call.layer, *call.operands)
        if result.cell is not None:
            write(call.cell, result.cell.data)
        values = result.output.data
        write(call.out, values)
        describe(call.out, values.shape, values.itemsize, result.output.frac_bits)
        self.library.mode.watch(self.name.text, result.overflow)
        return _OK


def _violation(call):
    """Status and text of the first condition that a call breaks, or None.

    What only the golden model refuses comes last: not supported.
    """
    try:
        for condition in CONDITIONS[call.name.primitive]:
            text = condition.violation(call)
            if text is not None:
                return condition.status, text
    except Refusal as refusal:
        return mli_status.MLI_STATUS_NOT_SUPPORTED, str(refusal)
    return None


def _point(call):
    """Make ``out`` a view of a part of the input: nothing is copied."""
    cfg, shape = call.cfg, dims(call.in_)
    start  = tuple(cfg.start_coord[:cfg.coord_num])
    result = (cfg.first_out_dim_size, *shape[cfg.coord_num:])
    offset = sum(index * prod(shape[axis + 1:]) for axis, index in enumerate(start))
    values = read(call.in_).reshape(-1)[offset:offset + prod(result)].reshape(result)
    call.out.data, call.out.capacity = values, values.nbytes
    describe(call.out, result, values.itemsize, call.in_.el_params.fx.frac_bits)


def _tensor_element_size(in_):
    """Bytes of an element, 0 for an unknown element type."""
    return element_size(in_.el_type) if isinstance(in_, mli_tensor) else 0


def _count_elem_num(in_, start_dim):
    """Elements from a dimension on, 0 unless it is at most the rank."""
    if not isinstance(in_, mli_tensor) or not is_count(in_.rank, 0, MLI_MAX_RANK):
        return 0
    return prod(dims(in_)[start_dim:]) if is_count(start_dim, 0, in_.rank) else 0


#: Helpers that return a number in place of a status, whatever the debug mode.
_NUMBERS = {"tensor_element_size": _tensor_element_size, "count_elem_num": _count_elem_num}

_DEFAULT = Mli()
_CONSTANTS = {member.name: member for kind in ENUMERATIONS for member in kind}


class debug_mode:
    """Set the debug mode of the functions of this module, for good or as a context.

    Parameters
    ----------
    version : "1.0" or "1.1"
    mode : value of ``MLI_DEBUG_MODE`` or name of the mode; ValueError if the version lacks it
    """

    def __init__(self, version, mode):
        self._before, _DEFAULT.mode = _DEFAULT.mode, DebugMode.of(version, mode)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _DEFAULT.mode = self._before


def function(name):
    """Look a function of this module up by name; AttributeError if it cannot be spelled."""
    return _DEFAULT.function(name)


def __getattr__(name):
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    if name in mli_types.__all__:
        return getattr(mli_types, name)
    if name.startswith("mli_"):
        return function(name)
    raise AttributeError(f"module {__name__} has no attribute {name}")

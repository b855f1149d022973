# SPDX-License-Identifier: Apache-2.0
"""Every MLI 1.0 and 1.1 function under its documented name, over the golden kernels.

``mli.mli_krn_conv2d_chw_fx16(in_, weights, bias, cfg, out)`` and every name that the naming
convention spells, such as ``mli_krn_conv2d_chw_fx16_k3x3_str1``, take the structures of ``types``
and ``configs`` beside this file in the documented order and return an ``mli_status``.

Some functions have the option ``documented=True``, for behaviour as documented where the library
differs. ``mli_krn_leaky_relu_fx16`` then applies a slope with 15 fractional bits below 0; without
the option such a slope applies above 0, as in the library; see ``mli1.LeakyRelu``. For recurrent
cells, ``mli_krn_concat`` and ``mli_hlp_point_to_subtensor`` the option adds conditions that the
library does not examine.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xymac.golden import run
from xymac.golden.api.debug import DebugMode
from xymac.golden.api.library import Function, Library, ModeContext
from xymac.golden.api.types import MLI_MAX_RANK, dims, is_count
from xymac.golden.mli1.move import CONCAT_MAX
from xymac.hdl.isa import RoundMode

from . import configs, types
from .calls import Call
from .conditions import CONDITIONS
from .configs import ENUMERATIONS
from .memory import describe, element_size, held_bytes, read, write
from .names import GRAMMAR
from .types import mli_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.grammar import Name


__all__ = ["Function", "Mli", "debug_mode", "function"]


def _tensor_element_size(in_):
    """Element size in bytes, 0 for an unknown element type."""
    return element_size(in_.el_type) if isinstance(in_, mli_tensor) else 0


def _count_elem_num(in_, start_dim):
    """Elements from a dimension on, 0 unless it is at most the rank."""
    if not isinstance(in_, mli_tensor) or not is_count(in_.rank, 0, MLI_MAX_RANK):
        return 0
    return prod(dims(in_)[start_dim:]) if is_count(start_dim, 0, in_.rank) else 0


#: Helpers that return a number instead of a status in every debug mode.
_NUMBERS = {"tensor_element_size": _tensor_element_size, "count_elem_num": _count_elem_num}


class Mli(Library):
    """The functions as attributes.

    For the asymmetric types (MLI 1.1), only pooling exists here: it treats the codes as ``fx8``
    elements. Depthwise convolution in HWC does not exist here or in the library.

    Parameters
    ----------
    evaluate : function from a layer and its inputs to a Result; ``golden.run``, or a device's
    rounding : RoundMode, for halves; the library sets it when it is built
    version : "1.0" or "1.1", whose debug modes there are
    debug : ``MLI_DEBUG_MODE`` value or mode name
    concat_max_tensors : int, 1 .. 255, the library's ``MLI_CONCAT_MAX_TENSORS``
    """

    grammar    = GRAMMAR
    conditions = CONDITIONS
    numbers    = _NUMBERS

    def __init__(self, evaluate: Callable = run, rounding: RoundMode = RoundMode.CONVERGENT,
                 version: str = "1.1", debug: int | str = 0,
                 concat_max_tensors: int = configs.MLI_CONCAT_MAX_TENSORS) -> None:
        super().__init__(evaluate, DebugMode.of(version, debug))
        if not is_count(concat_max_tensors, 1, CONCAT_MAX):
            raise ValueError(f"concat_max_tensors must be 1 .. {CONCAT_MAX}, "
                             f"not {concat_max_tensors!r}")
        self.rounding, self.concat_max_tensors = rounding, concat_max_tensors
        self._version = version

    def function(self, name: str) -> Function:
        """Look a function up by name; AttributeError if the convention cannot spell it."""
        spelled = super().function(name)
        if self._version == "1.0" and spelled.name.data_type in GRAMMAR.absent:
            return replace(spelled, name=replace(spelled.name, exists=False))
        return spelled

    def bind(self, name: Name, arguments: dict[str, Any]) -> Call:
        """Bind ``arguments`` to the function ``name``."""
        return Call(name, self.rounding, arguments, self.concat_max_tensors)

    def apply(self, call: Call) -> None:
        """Execute a call."""
        if call.name.primitive == "point_to_subtensor":
            _point(call)
            return
        if call.output_bytes > held_bytes(call.out).size:
            raise ValueError("out must have room for all bytes")
        result = self.evaluate(call.layer, *call.operands)
        if result.cell is not None:
            write(call.cell, result.cell.data)
        values = result.output.data
        write(call.out, values)
        describe(call.out, call.described, values.itemsize, result.output.frac_bits)
        if call.name.data_type == "sa8":
            call.out.el_type, call.out.el_params = call.in_.el_type, replace(call.in_.el_params)
        self.mode.watch(call.name.text, result.overflow)


def _point(call):
    """Point ``out`` at a part of the input, without a copy."""
    cfg, shape = call.cfg, dims(call.in_)
    start  = tuple(cfg.start_coord[:cfg.coord_num])
    result = (cfg.first_out_dim_size, *shape[cfg.coord_num:])
    offset = sum(index * prod(shape[axis + 1:]) for axis, index in enumerate(start))
    values = read(call.in_).reshape(-1)[offset:offset + prod(result)].reshape(result)
    call.out.data, call.out.capacity = values, values.nbytes
    describe(call.out, result, values.itemsize, call.in_.el_params.fx.frac_bits)


_DEFAULT = Mli()
_CONSTANTS = {member.name: member for kind in ENUMERATIONS for member in kind}


class debug_mode(ModeContext):
    """Set the debug mode for this module's functions, permanently or as a context manager.

    Parameters
    ----------
    version : "1.0" or "1.1"
    mode : ``MLI_DEBUG_MODE`` value or mode name; ValueError if the version lacks it
    """

    def __init__(self, version: str, mode: int | str) -> None:
        super().__init__(_DEFAULT, DebugMode.of(version, mode))


def function(name: str) -> Function:
    """Look up a function by name in this module; AttributeError if it cannot be spelled."""
    return _DEFAULT.function(name)


def __getattr__(name: str) -> Any:
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    for module in (types, configs):
        if name in module.__all__:
            return getattr(module, name)
    if name.startswith("mli_"):
        return function(name)
    raise AttributeError(f"module {__name__} has no attribute {name}")

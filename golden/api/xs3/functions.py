# SPDX-License-Identifier: Apache-2.0
"""The lib_nn functions under their documented names, over the golden kernels.

``functions.conv2d_1x1(Y, X, K, BSO, x_params, y_params)``, and every other name
in ``xymac.golden.api.xs3.prototypes``, takes the structures in ``types`` beside this file in the
library's order. A pointer is a contiguous numpy array, whatever its shape and type; addresses need
not be multiples of 4. A function reads its whole input before it writes.

The library has no status: a call that cannot be processed raises ValueError and writes nothing. A
function or instruction without a golden model always raises it; see
``xymac.golden.api.xs3.absent``. Instructions such as ``VLMACCR`` are the functions in
``xymac.golden.xs3.instructions``, on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden import run
from xymac.golden.api.rules import UnsupportedCall
from xymac.golden.xs3 import instructions
from xymac.golden.xs3.eltwise import MulElementwise

from . import floats, images, int16, moves, ring_types, rings, rings16, types, vectors
from .absent import ABSENT_FUNCTIONS, ABSENT_INSTRUCTIONS, sentence
from .call import Call
from .constants import CONSTANTS
from .memory import check_structure, read_count, view
from .prototypes import OPERATORS, PROTOTYPES, SYMMETRIC
from .types import FLAGS, nn_mul_params_t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = ["Function", "LibNn", "function"]

_BUILDERS  = images.BUILDERS | vectors.BUILDERS | int16.BUILDERS
_CONSTANTS = CONSTANTS | rings16.MAPPINGS | {name: member for kind in FLAGS
                          for name, member in kind.__members__.items()}
#: Instructions with a golden model.
_INSTRUCTIONS = {name: getattr(instructions, name.lower()) for name in (
    "VLMACC", "VLMACCR", "VLMACCR1", "VLSAT", "VLASHR", "VLADD", "VLSUB", "VLMUL", "VPOS",
    "VDEPTH1", "VDEPTH8", "VDEPTH16")}


class LibNn:
    """The functions as attributes.

    Parameters
    ----------
    evaluate : function from a layer and its inputs to a Result; ``golden.run``, or a device's
    symmetric : names of operators with the lowest output -127 instead of -128, the build option
        ``CONFIG_SYMMETRIC_SATURATION_<operator>``. ValueError for other names
    """

    def __init__(self, evaluate: Callable = run, symmetric: Sequence[str] = ()) -> None:
        unknown = sorted({*symmetric} - {*SYMMETRIC})
        if unknown:
            raise ValueError(f"symmetric must name some of {', '.join(SYMMETRIC)}, "
                             f"not {unknown[0]}")
        self.evaluate, self.symmetric = evaluate, frozenset(symmetric)

    def function(self, name: str) -> Callable | Function:
        """Look up a function by name; AttributeError for a name outside the library."""
        if name in PROTOTYPES:
            return Function(self, name)
        if name in _INSTRUCTIONS:
            return _INSTRUCTIONS[name]
        if name in ABSENT_FUNCTIONS or name in ABSENT_INSTRUCTIONS:
            return _refuser(name)
        raise AttributeError(f"{name} is not a function of lib_nn")

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(f"LibNn has no attribute {name}")
        return self.function(name)

    def apply(self, name: str, arguments: dict[str, Any]) -> int | None:
        """Execute a call to ``name``; returns the function's return value."""
        if name in _ACTIONS:
            return _ACTIONS[name](*arguments.values())
        operator = OPERATORS[name]
        call = Call(-127 if operator in self.symmetric else -128, arguments)
        works = _BUILDERS[operator](call)
        if isinstance(works, list):
            self._fill(works)
            return None
        if works is not None:
            self._fill([works])
        return None if works is None else works.result

    def _fill(self, works):
        """Compute everything, and then write it."""
        for work in works:
            work.layer.check(*work.inputs)
        results = [self.evaluate(work.layer, *work.inputs).output.data for work in works]
        for work, values in zip(works, results, strict=True):
            work.target[...] = values.reshape(work.target.shape)


@dataclass(frozen=True)
class Function:
    """A library function; call it with its arguments in the library's order."""

    library: LibNn
    name:    str

    @property
    def __name__(self) -> str:
        return self.name

    @cached_property
    def __signature__(self) -> Signature:
        return Signature([Parameter(argument, Parameter.POSITIONAL_OR_KEYWORD)
                          for argument in PROTOTYPES[self.name]])

    def __call__(self, *args: Any, **kwargs: Any) -> int | None:
        bound = self.__signature__.bind(*args, **kwargs).arguments
        try:
            return self.library.apply(self.name, bound)
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"{self.name}: {error}") from None


def _refuser(name):
    """Function of any arguments that raises UnsupportedCall, with the reason for ``name``."""
    def refuse(*args, **kwargs):
        raise UnsupportedCall(sentence(name))
    refuse.__name__ = name
    return refuse


def _lay_out(bso_out, bias, shift1, scale, offset_scale, offset, shift2, scratch, C_out):
    """Fill a BSO from channel vectors; padding in the last block stays unchanged.

    The library reads beyond its vectors for the padding, and needs ``scratch`` if they overlap;
    this function ignores ``scratch``.
    """
    count = read_count("C_out", C_out)
    words = view("bias", bias, np.int32, (count,)).view(np.uint32)
    rows  = [words >> 16, words & 0xFFFF, *(
        view(name, vector, np.uint16, (count,)) for name, vector in (
            ("shift1", shift1), ("scale", scale), ("offset_scale", offset_scale),
            ("offset", offset), ("shift2", shift2)))]
    rows   = np.stack([row.astype(np.uint16) for row in rows])
    target = view("bso_out", bso_out, np.uint16, (-(-count // 16), 7, 16))
    for channel in range(count):
        target[channel // 16, :, channel % 16] = rows[:, channel]


def _find_factors(params, *scales_and_zeros):
    """Fill the ``mul_elementwise`` parameters."""
    check_structure("params", params, nn_mul_params_t)
    names  = PROTOTYPES["mul_boggle"][1:]
    scales = [floats.read_double(*pair) for pair in zip(names[:3], scales_and_zeros, strict=False)]
    zeros  = [read_count(name, value, low=-128, high=127)
              for name, value in zip(names[3:], scales_and_zeros[3:], strict=True)]
    layer = MulElementwise.fit(zeros[0], zeros[1], scales[0] * scales[1] / scales[2], zeros[2])
    params.in1_zero_point, params.in2_zero_point = layer.zeros
    params.scalar, params.bias, params.vlashr_shr = layer.scale, layer.bias, layer.shift


#: Host functions by name; they get the arguments in order.
_ACTIONS = {**moves.ACTIONS, **floats.ACTIONS, **rings.ACTIONS, **rings16.ACTIONS,
            **int16.ACTIONS, "nn_standard_BSO_layout": _lay_out, "mul_boggle": _find_factors}
_DEFAULT = LibNn()


def function(name: str) -> Callable | Function:
    """Look up a function by name in this module; AttributeError if the library has none."""
    return _DEFAULT.function(name)


def __getattr__(name: str) -> Any:
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    for module in (types, ring_types):
        if name in module.__all__:
            return getattr(module, name)
    if name in OPERATORS or name in _INSTRUCTIONS or name in {**ABSENT_FUNCTIONS,
                                                              **ABSENT_INSTRUCTIONS}:
        return function(name)
    raise AttributeError(f"module {__name__} has no attribute {name}")

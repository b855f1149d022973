# SPDX-License-Identifier: Apache-2.0
"""Every MLI 2.0 function under its documented name, over the golden kernels.

``functions.mli_krn_conv2d_hwcn_sa8_sa8_sa32(in_, weights, bias, cfg, out)``, and every other name
in ``xymac.golden.api.mli2.names``, takes the structures in ``types`` and ``configs`` beside this
file in the documented order and returns an ``mli_status``.

Tensors can have any documented strides: functions read inputs and write outputs at the positions
given by ``mem_stride`` and leave the gaps unchanged. A caller fills the fields of ``out``;
functions update the fields that the library updates. ``out`` strides stay, and a stride of 0
follows from the shape. Window functions and permute compute only the part that ``out.shape``
requests. ``mli_hlp_convert_tensor`` also supports FX_4 and FP_16, unlike the library.

There is one additional option: ``documented=True`` for ``mli_krn_gru_cell_sa8_sa8_sa32``; see
``xymac.golden.mli2.GruCell``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xymac.golden import run
from xymac.golden.api.debug import MODES, DebugMode
from xymac.golden.api.library import Function, Library, ModeContext
from xymac.golden.mli2.arithmetic import Build
from xymac.golden.mli2.checks import check_build

from . import configs, types
from .calls import Call
from .conditions import CONDITIONS
from .configs import ENUMERATIONS
from .helpers import ACTIONS, NUMBERS
from .memory import available
from .mov import configs as mov_configs
from .mov import functions as mov
from .mov.handles import Channels
from .names import GRAMMAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.grammar import Name

__all__ = ["Function", "Mli", "debug_mode", "function"]

_MODES = {"2.0": MODES["1.1"]}


class Mli(Library):
    """The functions as attributes.

    Parameters
    ----------
    evaluate : function from a layer and its inputs to a Result, such as ``golden.run``
    build : Build, rounding and accumulator, the library's build options
    debug : ``MLI_DEBUG_MODE`` value or mode name, as in MLI 1.1
    """

    grammar    = GRAMMAR
    conditions = CONDITIONS
    numbers    = NUMBERS | mov.NUMBERS

    def __init__(self, evaluate: Callable = run, build: Build = Build.UP_REDUCED,
                 debug: int | str = 0) -> None:
        check_build(build)
        super().__init__(evaluate, DebugMode.of("2.0", debug, _MODES))
        self.build, self.channels = build, Channels()

    def bind(self, name: Name, arguments: dict[str, Any]) -> Call:
        """Bind ``arguments`` to the function ``name``."""
        call = Call(name, self.build, arguments)
        vars(call)["dma_channels"] = self.channels
        return call

    def apply(self, call: Call) -> None:
        """Execute a call."""
        action = ACTIONS.get(call.name.primitive)
        if action is not None:
            action(call)
            return
        if call.name.primitive in mov.ACTIONS:
            mov.ACTIONS[call.name.primitive](call, self)
            return
        if call.output_bytes > available(call.out):
            raise ValueError("out must have room for all bytes")
        view   = call.destination if self.fills_views else None
        fills  = view is not None
        result = self.evaluate(call.layer, *call.operands, **({"view": view} if fills else {}))
        call.store(result, filled=fills)
        self.mode.watch(call.name.text, result.overflow)


_DEFAULT   = Mli()
_CONSTANTS = {member.name: member for kind in (*ENUMERATIONS, mov_configs.mli_mov_state)
              for member in kind}


class debug_mode(ModeContext):
    """Set the debug mode for this module's functions, permanently or as a context manager.

    Parameters
    ----------
    mode : ``MLI_DEBUG_MODE`` value or mode name; ValueError for other values
    """

    def __init__(self, mode: int | str) -> None:
        super().__init__(_DEFAULT, DebugMode.of("2.0", mode, _MODES))


def function(name: str) -> Function:
    """Look up a function by name in this module; AttributeError if it cannot be spelled."""
    return _DEFAULT.function(name)


def __getattr__(name: str) -> Any:
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    for module in (types, configs, mov_configs):
        if name in module.__all__:
            return getattr(module, name)
    if name.startswith("mli_"):
        return function(name)
    raise AttributeError(f"module {__name__} has no attribute {name}")

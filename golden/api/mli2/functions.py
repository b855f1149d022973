"""Every function of MLI 2.0 under its documented name, over the golden kernels.

``functions.mli_krn_conv2d_hwcn_sa8_sa8_sa32(in_, weights, bias, cfg, out)``, and every other name
of ``golden.api.mli2.names``, takes the structures of ``types`` and ``configs``
beside this file
in the order of the documents and returns an ``mli_status``.

Tensors may have any strides that the documents allow: inputs are read and outputs are written
where their ``mem_stride`` says, and nothing between is touched. A caller gives ``out`` its fields,
of which functions set those that the library sets; its strides stay, and 0 is computed from the
shape. Of windows, and of a permuted tensor, the part is computed that ``out.shape`` asks for.
``mli_hlp_convert_tensor`` takes FX_4 and FP_16 too, which the library does not.

One option is not in the documents: ``documented=True`` of ``mli_krn_gru_cell_sa8_sa8_sa32``; see
``golden.mli2.GruCell``.
"""

from golden import run
from golden.api.debug import MODES, DebugMode
from golden.api.library import Function, Library, ModeContext
from golden.mli2.arithmetic import Build
from golden.mli2.checks import check_build

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

__all__ = ["Function", "Mli", "debug_mode", "function"]

_MODES = {"2.0": MODES["1.1"]}


class Mli(Library):
    """The functions as attributes.

    Parameters
    ----------
    evaluate : function of a layer and its inputs to a Result, such as ``golden.run``
    build : Build, rounding and accumulator; the library sets them when it is built
    debug : value of ``MLI_DEBUG_MODE`` or name of a mode; those of MLI 1.1
    """

    grammar    = GRAMMAR
    conditions = CONDITIONS
    numbers    = NUMBERS | mov.NUMBERS

    def __init__(self, evaluate=run, build=Build.UP_REDUCED, debug=0):
        check_build(build)
        super().__init__(evaluate, DebugMode.of("2.0", debug, _MODES))
        self.build, self.channels = build, Channels()

    def bind(self, name, arguments):
        """Call of the function of a Name."""
        call = Call(name, self.build, arguments)
        call.dma_channels = self.channels
        return call

    def apply(self, call):
        """Do what a call says."""
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
    """Set the debug mode of the functions of this module, for good or as a context.

    Parameters
    ----------
    mode : value of ``MLI_DEBUG_MODE`` or name of the mode; ValueError if there is none
    """

    def __init__(self, mode):
        super().__init__(_DEFAULT, DebugMode.of("2.0", mode, _MODES))


def function(name):
    """Look a function of this module up by name; AttributeError if it cannot be spelled."""
    return _DEFAULT.function(name)


def __getattr__(name):
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    for module in (types, configs, mov_configs):
        if name in module.__all__:
            return getattr(module, name)
    if name.startswith("mli_"):
        return function(name)
    raise AttributeError(f"module {__name__} has no attribute {name}")

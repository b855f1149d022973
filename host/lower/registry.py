"""Layers to passes: which module lowers which kind, and the passes checked."""

from golden import mli2, xs3
from golden.mli1 import BasicRnnCell, LstmCell, Padding2d, Permute, Subtensor
from hdl.isa import pack

from . import move as lower_move
from . import transform as transform_xs3
from .argmax import mli2 as argmax_mli2
from .argmax import xs3 as argmax_xs3
from .binary import passes as lower_eltwise
from .elementwise import passes as lower_activation
from .linear import passes as lower_linear
from .pool import passes as lower_pool
from .pool import xs3 as pool_xs3
from .recurrent import dense as lower_rnn_dense
from .recurrent import mli1 as lower_recurrent
from .recurrent import mli2 as lower_gates
from .refuse import NoPassesError
from .saturating import add as chained_add
from .saturating import passes as lower_chain
from .softmax import l2_normalize as lower_norm
from .softmax import passes as lower_softmax
from .table import passes as lower_table
from .table import xs3 as lookup_xs3

__all__ = ["LOWERED", "NoPassesError", "cell_image", "check_passes", "constants", "lower",
           "source_images", "target_image", "views"]

#: Kinds of layers that can be lowered, and the module with the four functions below for each.
LOWERED = {
    **dict.fromkeys(lower_linear.DESCRIBED, lower_linear),
    **dict.fromkeys(lower_pool.DESCRIBED, lower_pool),
    **dict.fromkeys(lower_activation.DESCRIBED, lower_activation),
    **dict.fromkeys((BasicRnnCell, LstmCell), lower_recurrent),
    **dict.fromkeys((mli2.LstmCell, mli2.GruCell), lower_gates),
    mli2.RnnDense: lower_rnn_dense,
    mli2.L2Normalize: lower_norm,
    **dict.fromkeys(lower_softmax.DESCRIBED, lower_softmax),
    **dict.fromkeys((mli2.Sigmoid, mli2.Tanh), lower_table),
    **dict.fromkeys(lower_eltwise.DESCRIBED, lower_eltwise),
    **dict.fromkeys((*lower_move.CONCATS, Permute, mli2.Permute, Padding2d, Subtensor),
                    lower_move),
    **dict.fromkeys((xs3.MaxPool2d, xs3.AvgPool2d, xs3.AvgPool2dGlobal), pool_xs3),
    mli2.ArgMax: argmax_mli2,
    xs3.Lookup8: lookup_xs3,
    xs3.Argmax16: argmax_xs3,
    xs3.OutputTransform: transform_xs3,
}


#: Those that step from run to run of the output.
_BY_RUNS = (lower_linear, lower_pool)

#: The same for layers whose sums can saturate on the way, which the module ``takes``; and for what
#: derives from them.
SATURATING = {**dict.fromkeys(lower_chain.KINDS, lower_chain), xs3.AddElementwise: chained_add}


def check_passes(layer):
    """Raise NoPassesError unless there are passes for the kind of ``layer``."""
    if type(layer) not in LOWERED:
        raise NoPassesError(f"There are no passes for {type(layer).__name__}, only for "
                            f"{', '.join(kind.__name__ for kind in LOWERED)}")


def _module(layer, xs):
    check_passes(layer)
    slow = next((SATURATING[kind] for kind in type(layer).__mro__ if kind in SATURATING), None)
    return slow if slow is not None and slow.takes(layer, xs) else LOWERED[type(layer)]


def views(layer, xs, makers, sources, target):
    """Images of the inputs of ``layer`` as parts of its output, which then need no passes.

    Parameters
    ----------
    makers : what makes each input, a layer and its inputs, or None
    sources, target : Images

    None for an input that cannot be a part: what works in rows around its output, or on groups
    that follow one another, must have an output of its own.
    """
    if not isinstance(layer, lower_move.CONCATS):
        return [None] * len(sources)
    return [view if maker is not None and _module(*maker) in _BY_RUNS
            and not source.before and not source.behind else None
            for view, maker, source in zip(lower_move.views(layer, sources, target), makers,
                                           sources, strict=True)]


def source_images(layer, xs, wish, ways):
    """Where the inputs of ``layer`` best lie: a tuple of Images, not placed yet.

    Parameters
    ----------
    xs : Tensors in the format of the inputs
    wish : Image that the next layer would like the output to be, or None
    ways : int, elements of a group
    """
    return _module(layer, xs).source_images(layer, xs, wish, ways)


def target_image(layer, xs, sources):
    """Where the output goes for inputs that lie at the Images ``sources``.

    ValueError if the layer cannot take them where they lie.
    """
    return _module(layer, xs).target_image(layer, xs, sources)


def constants(layer, xs, sources):
    """``Constants`` of ``layer`` for inputs that lie at the Images ``sources``."""
    return _module(layer, xs).constants(layer, xs, sources)


def lower(layer, xs, sources, target, values):
    """Passes that apply ``layer``; of the Tensors ``xs`` only the format matters.

    Parameters
    ----------
    sources, target : Images, placed
    values : Constants, placed in Y

    Returns a list of Pass without ``wait`` and ``last``. ValueError naming the field if a loop or
    a stride does not fit.
    """
    passes = _module(layer, xs).lower(layer, xs, sources, target, values)
    for pass_ in passes:
        pack(pass_)
    return passes


def cell_image(layer, target, values):
    """Placed Image of the new state of a cell that has one, None for any other layer.

    ``target`` is the Image of the output, ``values`` are the placed Constants.
    """
    return (LOWERED[type(layer)].cell_image(layer, target, values)
            if isinstance(layer, (LstmCell, mli2.LstmCell)) else None)

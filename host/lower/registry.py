"""Which Lowering turns which kind of layer into passes."""

from golden import mli2, xs3
from golden.mli1 import BasicRnnCell, LstmCell, Padding2d, Permute, Subtensor

from . import move as lower_move
from .argmax import mli2 as argmax_mli2
from .argmax import xs3 as argmax_xs3
from .base import Lowering
from .binary.passes import BinaryLowering
from .elementwise.passes import ElementwiseLowering
from .linear.passes import LinearLowering
from .pool.passes import PoolLowering
from .recurrent import dense as lower_rnn_dense
from .recurrent import mli1 as lower_recurrent
from .recurrent import mli2 as lower_gates
from .refuse import NoPassesError
from .saturating.add import SaturatingAddLowering
from .saturating.passes import SaturatingLowering
from .softmax import l2_normalize as lower_norm
from .softmax import passes as lower_softmax
from .table import passes as lower_table
from .table import xs3 as lookup_xs3
from .transform import OutputTransformLowering

__all__ = ["NoPassesError", "check_passes", "find_lowering"]


def _adapt(module, layers):
    """A Lowering of ``layers`` by the functions of ``module``."""
    class Adapted(Lowering):
        def source_layouts(self, preferred):
            return module.source_layouts(self.layer, self.inputs, preferred, self.ways)

        def target_layout(self, sources):
            return module.target_layout(self.layer, self.inputs, sources)

        def constants(self, sources):
            return module.constants(self.layer, self.inputs, sources)

        def passes(self, sources, target, constants):
            return module.lower(self.layer, self.inputs, sources, target, constants)

        def inputs_in_place(self, sources, target):
            if not hasattr(module, "views") or not isinstance(self.layer, module.CONCATS):
                return (None,) * len(sources)
            return module.views(self.layer, sources, target)

        def state_layout(self, target, constants):
            if not hasattr(module, "state_layout") or not hasattr(self.layer, "cell"):
                return None
            return module.state_layout(self.layer, target, constants)

        @classmethod
        def takes(cls, layer, inputs):
            return not hasattr(module, "takes") or module.takes(layer, inputs)

    Adapted.layers = tuple(layers)
    return Adapted


#: All of ours; of those that name one kind the first one that takes the call has it.
LOWERINGS = (
    SaturatingLowering,
    SaturatingAddLowering,
    LinearLowering,
    PoolLowering,
    ElementwiseLowering,
    _adapt(lower_recurrent, (BasicRnnCell, LstmCell)),
    _adapt(lower_gates, (mli2.LstmCell, mli2.GruCell)),
    _adapt(lower_rnn_dense, [mli2.RnnDense]),
    _adapt(lower_norm, [mli2.L2Normalize]),
    _adapt(lower_softmax, lower_softmax.DESCRIBED),
    _adapt(lower_table, (mli2.Sigmoid, mli2.Tanh)),
    BinaryLowering,
    _adapt(lower_move, (*lower_move.CONCATS, Permute, mli2.Permute, Padding2d, Subtensor)),
    _adapt(argmax_mli2, [mli2.ArgMax]),
    _adapt(lookup_xs3, [xs3.Lookup8]),
    _adapt(argmax_xs3, [xs3.Argmax16]),
    OutputTransformLowering,
)


def _lowerings_of(layer):
    return [lowering for lowering in LOWERINGS if type(layer) in lowering.layers]


def check_passes(layer):
    """Raise NoPassesError unless there are passes for the kind of ``layer``."""
    if not _lowerings_of(layer):
        kinds = dict.fromkeys(kind.__name__ for lowering in LOWERINGS for kind in lowering.layers)
        raise NoPassesError(f"There are no passes for {type(layer).__name__}, only for "
                            f"{', '.join(kinds)}")


def find_lowering(layer, inputs, ways):
    """The Lowering of ``layer`` for Tensors in the format of ``inputs``, which it has accepted.

    NoPassesError if there is none, or if passes could not be exact.
    """
    check_passes(layer)
    lowering = next(each for each in _lowerings_of(layer) if each.takes(layer, inputs))
    return lowering(layer, inputs, ways)

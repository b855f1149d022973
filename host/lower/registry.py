"""Which Lowering turns which kind of layer into passes."""

from golden import xs3

from . import transform as transform_xs3
from .argmax.mli2 import ArgMaxLowering
from .argmax.xs3 import Argmax16Lowering
from .base import Lowering
from .binary import passes as lower_eltwise
from .elementwise import passes as lower_activation
from .linear import passes as lower_linear
from .move.concat import ConcatLowering
from .move.padding import PaddingLowering
from .move.permute import PermuteLowering
from .move.subtensor import SubtensorLowering
from .pool import passes as lower_pool
from .pool import xs3 as pool_xs3
from .recurrent.dense import RnnDenseLowering
from .recurrent.mli1 import BasicRnnLowering, LstmLowering
from .recurrent.mli2 import GruLowering
from .recurrent.mli2 import LstmLowering as Mli2LstmLowering
from .refuse import NoPassesError
from .saturating import add as chained_add
from .saturating import passes as lower_chain
from .softmax.l2_normalize import L2NormalizeLowering
from .softmax.passes import SoftmaxLowering
from .table.passes import TableLowering
from .table.xs3 import LookupLowering

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

        def state_layout(self, target, constants):
            if not hasattr(module, "state_layout") or not hasattr(self.layer, "cell"):
                return None
            return module.state_layout(self.layer, target, constants)

        @classmethod
        def takes(cls, layer, inputs):
            return not hasattr(module, "takes") or module.takes(layer, inputs)

    Adapted.layers = tuple(layers)
    Adapted.writes_runs = module in (lower_linear, lower_pool)
    return Adapted


_SATURATING = tuple(kind for kind in lower_linear.DESCRIBED
                    if issubclass(kind, tuple(lower_chain.KINDS)))

#: All of ours; of those that name one kind the first one that takes the call has it.
LOWERINGS = (
    _adapt(lower_chain, _SATURATING),
    _adapt(chained_add, [xs3.AddElementwise]),
    _adapt(lower_linear, lower_linear.DESCRIBED),
    _adapt(lower_pool, lower_pool.DESCRIBED),
    _adapt(lower_activation, lower_activation.DESCRIBED),
    BasicRnnLowering,
    LstmLowering,
    Mli2LstmLowering,
    GruLowering,
    RnnDenseLowering,
    L2NormalizeLowering,
    SoftmaxLowering,
    TableLowering,
    _adapt(lower_eltwise, lower_eltwise.DESCRIBED),
    ConcatLowering,
    PermuteLowering,
    PaddingLowering,
    SubtensorLowering,
    _adapt(pool_xs3, (xs3.MaxPool2d, xs3.AvgPool2d, xs3.AvgPool2dGlobal)),
    ArgMaxLowering,
    LookupLowering,
    Argmax16Lowering,
    _adapt(transform_xs3, [xs3.OutputTransform]),
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

# SPDX-License-Identifier: Apache-2.0
"""Registry from layer classes and forms to their Lowering."""

from xymac.hdl.isa import Reduce
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.extensions import load_extensions
from xymac.host.frontend.registry import Translation, rules_of

from .argmax.first import FirstLargestLowering
from .argmax.keys import KeyLowering
from .argmax.largest import LargestLowering
from .argmax.ranked import RankedLowering
from .argmax.ranking import RankingLowering
from .base import Lowering
from .binary.channels import ChannelLowering
from .binary.many import AddNLowering
from .binary.passes import BinaryLowering
from .binary.prelu import PreluLowering
from .binary.scaled_product import ScaledProductLowering
from .binary.select import SelectLowering
from .binary.square import SquareLowering
from .binary.tables import TableSumLowering
from .binary.vectors import VectorSumLowering
from .elementwise.passes import ElementwiseLowering, TabledLowering
from .interpolate.bilinear import ResizeBilinearLowering
from .linear.matmul import MatmulLowering
from .linear.passes import LinearLowering
from .move.box import BoxLowering
from .move.concat import ConcatLowering, PackLowering
from .move.padding import PaddingLowering
from .move.permute import PermuteLowering
from .move.put import PutViewLowering
from .move.reshape import ReshapeLowering
from .move.resize import ResizeLowering
from .move.take import TakeViewLowering
from .pick.among import AmongLowering
from .pick.cast import CastLowering
from .pick.passes import PickLowering
from .pick.update import UpdateLowering
from .pool.cumulative import CumulativeLowering
from .pool.extremes import ExtremeLowering
from .pool.mean import MeanLowering
from .pool.passes import PoolLowering
from .recurrent.dense import DenseSumsLowering
from .recurrent.fixed_cells import BasicCellLowering, FixedLstmLowering
from .recurrent.rounded_cells import GruLowering, LstmLowering
from .recurrent.with_states import FilterLowering, SequenceLowering
from .saturating.add import SaturatingAddLowering
from .saturating.passes import SaturatingLowering
from .softmax.l2_normalize import L2NormalizeLowering
from .softmax.log_rows import LogRowsLowering
from .softmax.pairs import PairLowering
from .softmax.passes import SoftmaxLowering
from .softmax.row_shares import ShareLowering, WideShareLowering
from .table.lookup import LookupLowering
from .table.passes import TableLowering
from .table.planes import PlanesLowering
from .transform import OutputTransformLowering

__all__ = ["LOWERINGS", "check_passes", "find_lowering"]

#: All built-in lowerings; of several for the same class, the first that accepts the call is used.
LOWERINGS = (
    SaturatingLowering,
    SaturatingAddLowering,
    LinearLowering,
    PoolLowering,
    LookupLowering,
    TabledLowering,
    PreluLowering,
    ElementwiseLowering,
    PlanesLowering,
    TableSumLowering,
    ChannelLowering,
    VectorSumLowering,
    BinaryLowering,
    BasicCellLowering,
    FixedLstmLowering,
    LstmLowering,
    GruLowering,
    DenseSumsLowering,
    L2NormalizeLowering,
    SoftmaxLowering,
    TableLowering,
    ConcatLowering,
    PermuteLowering,
    PaddingLowering,
    BoxLowering,
    LargestLowering,
    RankedLowering,
    RankingLowering,
    FirstLargestLowering,
    OutputTransformLowering,
    TakeViewLowering,
    PutViewLowering,
    FilterLowering,
    ReshapeLowering,
    ResizeLowering,
    MeanLowering,
    PairLowering,
    ShareLowering,
    SequenceLowering,
    WideShareLowering,
    PackLowering,
    ResizeBilinearLowering,
    KeyLowering,
    MatmulLowering,
    LogRowsLowering,
    ScaledProductLowering,
    PickLowering,
    AmongLowering,
    UpdateLowering,
    CastLowering,
    SelectLowering,
    ExtremeLowering,
    SquareLowering,
    AddNLowering,
    CumulativeLowering,
)
_GROUP = "xymac.lowerings"  #: Entry point group for lowerings of other packages.


def check_passes(layer):
    """Raise Refusal unless passes exist for the ``layer`` kind."""
    _lowerings_of(layer)


def find_lowering(layer, inputs, ways, *, core=None):
    """The Lowering for ``layer`` and Tensors in the ``inputs`` format, which it has accepted.

    ``core`` is the core's Capabilities, None for a core with all functions. Raises Refusal if no
    lowering applies, or if passes could not be exact.
    """
    translation, missing = Translation(layer, inputs), ""
    for lowering in _lowerings_of(layer):
        form = translation.of(lowering.forms)
        taken = form if form is not None else layer if type(layer) in lowering.layers else None
        if taken is None or not lowering.takes(taken, inputs):
            continue
        lack = _lacks(core, lowering)
        if not lack:
            return lowering.for_core(core, layer, inputs, ways, form=form)
        missing = missing or f" on a core without {lack}"
    raise Refusal(RefusalKind.OPERATOR, f"There are no passes for {type(layer).__name__} with "
                  f"these inputs{missing}")


def _lacks(core, lowering):
    """The function missing in Capabilities ``core`` for ``lowering``, a str;
    empty for none.
    """
    if core is not None and lowering.needs_tables and not core.tables:
        return "writable tables, such as compact"
    if core is not None and lowering.needs_heap and not core.supports(Reduce.RANK):
        return "a heap"
    return ""


def _lowerings_of(layer):
    """Lowerings that list the ``layer`` class or a class of its forms.

    Other packages' lowerings are returned only if no built-in lowering applies.
    """
    kinds = {kind for kind, _ in rules_of(layer)}
    ours  = [lowering for lowering in LOWERINGS
             if type(layer) in lowering.layers or not kinds.isdisjoint(lowering.forms)]
    if ours:
        return ours
    others = load_extensions(_GROUP, _check_lowering).values()
    theirs = [lowering for lowering in others if type(layer) in lowering.layers]
    if not theirs:
        raise Refusal(RefusalKind.OPERATOR, f"There are no passes for {type(layer).__name__}")
    return theirs


def _check_lowering(value):
    """Raise TypeError unless an entry point names a Lowering subclass."""
    if not isinstance(value, type) or not issubclass(value, Lowering):
        raise TypeError(f"A lowering must be a subclass of Lowering, not {value!r}")

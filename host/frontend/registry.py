# SPDX-License-Identifier: Apache-2.0
"""Registry of integer forms for each library layer class."""

from functools import partial

from xymac.host.frontend.tflm.functions import elementwise as tflm_elementwise
from xymac.host.frontend.tflm.functions import prelu as tflm_prelu
from xymac.host.frontend.tflm.functions import word_curves
from xymac.host.ir.contraction import Linear, MatrixProduct, OutputTransform
from xymac.host.ir.elementwise import ElementMaps, TabledMaps
from xymac.host.ir.move import Box, Join, Padding, Permutation, Rename, Stack
from xymac.host.ir.normalise import L2Norm, LogSoftmax, RowSoftmax, SoftmaxForm, TableSoftmax
from xymac.host.ir.operation import Operation
from xymac.host.ir.pair import (
    Pair,
    SaturatingPair,
    ScaledPair,
    Selection,
    Slopes,
    SquaredPair,
    SumOfMany,
    TabledPair,
)
from xymac.host.ir.pick import Pick, PickAmong, Update, Widths
from xymac.host.ir.places import FirstExtreme, Ranking
from xymac.host.ir.pool import CumulativeSum, ExtremeAlong, Pool, SumAlong
from xymac.host.ir.recurrent.cells import FixedCell, FixedLstm
from xymac.host.ir.recurrent.dense_sums import DenseSums
from xymac.host.ir.recurrent.rounded_cells import Gru, Lstm
from xymac.host.ir.recurrent.sequence import Filters, SequenceLstm
from xymac.host.ir.resize import Interpolation, Resampling
from xymac.host.ir.saturating import SaturatingSum
from xymac.host.ir.table import ByteTable, TableForm

from .mli1 import binary as mli1_binary
from .mli1 import cells as mli1_cells
from .mli1 import elementwise as mli1_elementwise
from .mli1 import linear as mli1_linear
from .mli1 import move as mli1_move
from .mli1 import pool as mli1_pool
from .mli1 import softmax as mli1_softmax
from .mli2 import activation as mli2_activation
from .mli2 import binary as mli2_binary
from .mli2 import cells as mli2_cells
from .mli2 import convert as mli2_convert
from .mli2 import linear as mli2_linear
from .mli2 import move as mli2_move
from .mli2 import pool as mli2_pool
from .mli2 import saturating as mli2_saturating
from .mli2 import softmax as mli2_softmax
from .mli2 import table as mli2_table
from .tflm import binary as tflm_binary
from .tflm import compare as tflm_compare
from .tflm import convert as tflm_convert
from .tflm import linear as tflm_linear
from .tflm import many as tflm_many
from .tflm import matmul as tflm_matmul
from .tflm import move as tflm_move
from .tflm import pick as tflm_pick
from .tflm import pool as tflm_pool
from .tflm import recurrent as tflm_recurrent
from .tflm import reduce as tflm_reduce
from .tflm import resize as tflm_resize
from .tflm import select as tflm_select
from .tflm import softmax as tflm_softmax
from .tflm import square as tflm_square
from .tflm import table as tflm_table
from .xs3 import binary as xs3_binary
from .xs3 import elementwise as xs3_elementwise
from .xs3 import linear as xs3_linear
from .xs3 import places as xs3_places
from .xs3 import pool as xs3_pool
from .xs3 import product as xs3_product
from .xs3 import saturating as xs3_saturating
from .xs3 import table as xs3_table
from .xs3 import transform as xs3_transform

__all__ = ["LAYERS", "Translation", "rules_of"]



def _paired(forms, kind=Pair):
    """Functions returning a Pair of ElementMaps or a Product from other functions, or None."""
    def pair(make, *arguments):
        each = make(*arguments)
        return None if each is None else kind(each)

    return {layer: partial(pair, make) for layer, make in forms.items()}


#: Kinds of forms, and by the class of a layer the functions that make a form of a layer and its
#: inputs, or give None.
_TABLES = (
    (ByteTable, tflm_table.FORMS | xs3_table.FORMS),
    (TabledMaps, word_curves.FORMS),
    (ElementMaps, mli1_elementwise.FORMS | mli2_activation.FORMS | mli2_convert.FORMS
     | xs3_elementwise.FORMS | tflm_elementwise.FORMS | tflm_convert.FORMS),
    (TableForm, mli2_table.FORMS),
    (TabledPair, _paired(tflm_binary.TABLED, TabledPair)),
    (SaturatingPair, xs3_binary.SATURATING),
    (ScaledPair, xs3_product.FORMS),
    (SquaredPair, tflm_square.FORMS),
    (Pair, _paired(mli1_binary.FORMS | mli2_binary.FORMS | xs3_binary.FORMS | tflm_binary.FORMS
                   | tflm_compare.FORMS)),
    (Selection, tflm_select.FORMS),
    (Slopes, tflm_prelu.FORMS),
    (SumOfMany, tflm_many.FORMS),
    (CumulativeSum, tflm_many.CUMULATIVE),
    (SumAlong, tflm_reduce.SUMS),
    (ExtremeAlong, tflm_reduce.EXTREMES),
    (FirstExtreme, tflm_reduce.PLACES | xs3_places.FORMS),
    (Ranking, mli2_move.RANKINGS),
    (SoftmaxForm, mli1_softmax.FORMS | mli2_softmax.FORMS),
    (FixedCell, mli1_cells.BASIC),
    (FixedLstm, mli1_cells.LSTM),
    (Lstm, mli2_cells.LSTMS),
    (Gru, mli2_cells.GRUS),
    (DenseSums, mli2_cells.DENSE),
    (SequenceLstm, tflm_recurrent.SEQUENCES),
    (Filters, tflm_recurrent.FILTERS),
    (L2Norm, mli2_softmax.L2_NORMS),
    (RowSoftmax, tflm_softmax.ROWS),
    (TableSoftmax, tflm_softmax.TABLES),
    (LogSoftmax, tflm_softmax.LOGARITHMS),
    (Pick, tflm_pick.PICKS),
    (PickAmong, tflm_pick.AMONG),
    (Update, tflm_pick.UPDATES),
    (Widths, tflm_pick.WIDTHS),
    (Resampling, tflm_resize.RESAMPLINGS),
    (Interpolation, tflm_resize.INTERPOLATIONS),
    (Box, mli1_move.BOXES | tflm_move.BOXES),
    (Join, mli1_move.JOINS | mli2_move.JOINS | tflm_move.JOINS),
    (Stack, tflm_move.STACKS),
    (Rename, tflm_move.RENAMES),
    (Padding, mli1_move.PADDINGS | tflm_move.PADDINGS),
    (OutputTransform, xs3_transform.FORMS),
    (MatrixProduct, tflm_matmul.FORMS),
    (Permutation, mli1_move.PERMUTATIONS | mli2_move.PERMUTATIONS | tflm_move.PERMUTATIONS),
    (SaturatingSum, mli2_saturating.FORMS | xs3_saturating.FORMS),
    (Linear, mli1_linear.FORMS | mli2_linear.FORMS | xs3_linear.FORMS | tflm_linear.FORMS),
    (Pool, mli1_pool.FORMS | mli2_pool.FORMS | xs3_pool.FORMS | tflm_pool.FORMS),
)

#: Layer classes with a form: form kinds and their functions, a tuple of pairs.
LAYERS = {layer: tuple((kind, forms[layer]) for kind, forms in _TABLES if layer in forms)
          for _, forms in _TABLES for layer in forms}


def rules_of(layer):
    """Pairs (form class, function), a tuple, for a layer."""
    if isinstance(layer, Operation):
        return ((type(layer.form), lambda *_: layer.form),)
    return LAYERS.get(type(layer), ())


class Translation:
    """A single layer's forms for its inputs, each built on demand and cached.

    Parameters
    ----------
    layer : golden layer that has accepted ``inputs``
    inputs : tuple of golden Array
    """

    def __init__(self, layer, inputs):
        self._layer, self._inputs, self._made = layer, inputs, {}

    def of(self, kinds):
        """The layer's first form in any of the classes ``kinds``, or None; Refusal where the form
        cannot be exact."""
        for kind, make in rules_of(self._layer):
            if kind in kinds:
                if kind not in self._made:
                    self._made[kind] = make(self._layer, *self._inputs)
                if self._made[kind] is not None:
                    return self._made[kind]
        return None

# SPDX-License-Identifier: Apache-2.0
"""Which integer operation a layer of a library is."""

from xymac.host.ir.elementwise import ElementMaps, TabledMaps
from xymac.host.ir.operation import Operation
from xymac.host.ir.pool import Pool
from xymac.host.ir.table import ByteTable, TableForm

from .mli1 import elementwise as mli1_elementwise
from .mli1 import pool as mli1_pool
from .mli2 import activation as mli2_activation
from .mli2 import convert as mli2_convert
from .mli2 import pool as mli2_pool
from .mli2 import table as mli2_table
from .tflm import convert as tflm_convert
from .tflm import elementwise as tflm_elementwise
from .tflm import pool as tflm_pool
from .tflm import table as tflm_table
from .tflm import word_curves
from .xs3 import elementwise as xs3_elementwise
from .xs3 import pool as xs3_pool
from .xs3 import table as xs3_table

__all__ = ["LAYERS", "Translation", "rules_of"]

#: Kinds of forms, and by the class of a layer the functions that make a form of a layer and its
#: inputs, or give None.
_TABLES = (
    (ByteTable, tflm_table.FORMS | xs3_table.FORMS),
    (TabledMaps, word_curves.FORMS),
    (ElementMaps, mli1_elementwise.FORMS | mli2_activation.FORMS | mli2_convert.FORMS
     | xs3_elementwise.FORMS | tflm_elementwise.FORMS | tflm_convert.FORMS),
    (TableForm, mli2_table.FORMS),
    (Pool, mli1_pool.FORMS | mli2_pool.FORMS | xs3_pool.FORMS | tflm_pool.FORMS),
)

#: Classes of layers with a form: kinds of forms and their functions, a tuple of pairs.
LAYERS = {layer: tuple((kind, forms[layer]) for kind, forms in _TABLES if layer in forms)
          for _, forms in _TABLES for layer in forms}


def rules_of(layer):
    """Kinds of forms of a layer and the functions that make them, a tuple of pairs."""
    if isinstance(layer, Operation):
        return ((type(layer.form), lambda *_: layer.form),)
    return LAYERS.get(type(layer), ())


class Translation:
    """Forms of one layer for its inputs, each made when it is asked for, and once.

    Parameters
    ----------
    layer : golden layer, that has accepted ``inputs``
    inputs : tuple of golden Array
    """

    def __init__(self, layer, inputs):
        self._layer, self._inputs, self._made = layer, inputs, {}

    def of(self, kinds):
        """The first form of a kind among the classes ``kinds``, or None; NoPassesError where the
        form cannot be exact."""
        for kind, make in rules_of(self._layer):
            if kind in kinds:
                if kind not in self._made:
                    self._made[kind] = make(self._layer, *self._inputs)
                if self._made[kind] is not None:
                    return self._made[kind]
        return None

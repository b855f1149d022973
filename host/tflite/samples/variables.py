# SPDX-License-Identifier: Apache-2.0
"""Operators on resource variables, all in a single network."""

import numpy as np

from .. import options
from ..codes import TENSOR_TYPE
from ..model import TYPES, Model, Operator, Subgraph, Tensor
from .wish import value

__all__ = ["VARIABLES", "variable_model"]


def variable_model(wish):
    """A Model whose output is the previous invocation's input.

    With ``flag`` no subgraph initialises the variable.
    """
    x, y   = value("x", wish.shape, wish.kind), value("y", wish.shape, wish.to)
    handle = Tensor("handle", (), TENSOR_TYPE.RESOURCE)
    which  = options.VarHandleOptions("", "kept")
    first  = Tensor("first", wish.shape, wish.kind, x.scales, x.zero_points, 0,
                    np.ones(wish.shape, TYPES[wish.kind]))
    begin  = Subgraph((handle, first), (Operator("VAR_HANDLE", (), (0,), which),
                                        Operator("ASSIGN_VARIABLE", (0, 1), ())), (), ())
    once   = () if wish.flag else (Operator("CALL_ONCE", (), (), options.CallOnceOptions(1)),)
    return Model((x, handle, y), (*once, Operator("VAR_HANDLE", (), (1,), which),
                                  Operator("READ_VARIABLE", (1,), (2,)),
                                  Operator("ASSIGN_VARIABLE", (1, 0), ())), (0,), (2,),
                 others=() if wish.flag else (begin,))


VARIABLES = dict.fromkeys(("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"),
                          variable_model)  #: Functions from a Wish to a Model.

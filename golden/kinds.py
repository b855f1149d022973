# SPDX-License-Identifier: Apache-2.0
"""Enumerations that several libraries share: output limits, activations, operations, work units."""

from enum import Enum

__all__ = ["Act", "EltwiseOp", "Relu", "WorkUnit"]


class Relu(Enum):
    """Output limits. Source: embARC MLI 1.1, mli_types.h, ``mli_relu_type``."""

    NONE  = 0  #: The range of the element type.
    GEN   = 1  #: From 0.
    RELU1 = 2  #: From -1 to 1.
    RELU6 = 3  #: From 0 to 6.


class Act(Enum):
    """Output activation. Source: embARC MLI 1.1, ``mli_rnn_out_activation``."""

    NONE = 0
    TANH = 1
    SIGM = 2


class EltwiseOp(Enum):
    """Element-wise operation on two elements ``a`` and ``b``."""

    ADD = "add"  #: ``a + b``
    SUB = "sub"  #: ``a - b``
    MIN = "min"
    MAX = "max"
    MUL = "mul"  #: ``a * b``, rounded to the output


class WorkUnit(Enum):
    """Unit in which a layer counts its work; each unit has its own peak rate per cycle on a core.
    """

    PRODUCTS = "products"  #: Products with shared operands; peak ``lanes * ways`` a cycle.
    LANES    = "lanes"     #: Products or elements without shared operands; peak one per lane.
    ELEMENTS = "elements"  #: Elements that the output stage writes; peak ``ways`` a cycle.

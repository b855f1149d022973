"""Kinds that kernels of several libraries come in: limits, activations, operations, work."""

from enum import Enum

__all__ = ["Act", "EltwiseOp", "Relu", "WorkUnit"]


class Relu(Enum):
    """Limits of the output. Source: embARC MLI 1.1, mli_types.h, ``mli_relu_type``."""

    NONE  = 0  #: Those of the container.
    GEN   = 1  #: From 0.
    RELU1 = 2  #: From -1 to 1.
    RELU6 = 3  #: From 0 to 6.


class Act(Enum):
    """Activation of the output. Source: embARC MLI 1.1, ``mli_rnn_out_activation``."""

    NONE = 0
    TANH = 1
    SIGM = 2


class EltwiseOp(Enum):
    """What is done with two elements ``a`` and ``b``."""

    ADD = "add"  #: ``a + b``
    SUB = "sub"  #: ``a - b``
    MIN = "min"
    MAX = "max"
    MUL = "mul"  #: ``a * b``, rounded to the output


class WorkUnit(Enum):
    """What the work of a layer is counted in, and what a core can do of it in a cycle."""

    PRODUCTS = "products"  #: Products that share operands: the whole array, lanes times ways.
    LANES    = "lanes"     #: Products or elements of channels that share none: one a lane.
    ELEMENTS = "elements"  #: Elements that the output stage finishes: one a way.

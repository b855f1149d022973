# SPDX-License-Identifier: Apache-2.0
"""Networks with resource variables, uint8 at their edges, shapes that are computed, or a factor
with several places.
"""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Subgraph, Tensor

from .networks import constant, value

__all__ = ["byte_network", "factor_network", "held_network", "shape_network", "stream_network"]

INT8, UINT8, INT32, RESOURCE = (
    TENSOR_TYPE.INT8, TENSOR_TYPE.UINT8, TENSOR_TYPE.INT32, TENSOR_TYPE.RESOURCE)


def stream_network(*, begins=True, key="kept"):
    """Model of a convolution over the last three of the rows that came in, one an invocation.

    A further variable counts what is read after it was assigned. Without ``begins`` nothing says
    what they hold at first.
    """
    kind   = {"scale": 0.25, "zero_point": -7}
    handle = [Tensor(name, (), RESOURCE) for name in ("rows", "last")]
    which  = [options.VarHandleOptions("", key), options.VarHandleOptions("", f"{key} last")]
    weights = constant("w", np.arange(-9, 9, dtype=np.int8).reshape(2, 3, 1, 3), (0.125,))
    tensors = (value("x", (1, 1, 1, 3), **kind), *handle, value("old", (1, 2, 1, 3), **kind),
               value("all", (1, 3, 1, 3), **kind), constant("begin", np.int32([0, 1, 0, 0])),
               constant("end", np.int32([1, 3, 1, 3])), constant("step", np.int32([1, 1, 1, 1])),
               value("new", (1, 2, 1, 3), **kind), weights,
               value("y", (1, 1, 1, 2), scale=1.0, zero_point=3),
               value("before", (1, 1, 1, 2), scale=1.0, zero_point=3),
               value("sum", (1, 1, 1, 2), scale=2.0), value("after", (1, 1, 1, 2), scale=0.5))
    operators = (
        *(Operator("VAR_HANDLE", (), (number,), each) for number, each in enumerate(which, 1)),
        Operator("READ_VARIABLE", (1,), (3,)),
        Operator("CONCATENATION", (3, 0), (4,), options.ConcatenationOptions(1)),
        Operator("STRIDED_SLICE", (4, 5, 6, 7), (8,), options.StridedSliceOptions()),
        Operator("ASSIGN_VARIABLE", (1, 8), ()),
        Operator("CONV_2D", (4, 9), (10,), options.Conv2DOptions(PADDING.VALID, 1, 1)),
        Operator("READ_VARIABLE", (2,), (11,)),
        Operator("ADD", (10, 11), (12,), options.AddOptions()),
        Operator("ASSIGN_VARIABLE", (2, 10), ()),
        Operator("READ_VARIABLE", (2,), (13,)))  # in another scale, of the same elements
    first = Subgraph(
        (*handle, constant("old", np.arange(6, dtype=np.int8).reshape(1, 2, 1, 3), (0.25,)),
         constant("none", np.int8([[[[5, -5]]]]), (1.0,))),
        (*(Operator("VAR_HANDLE", (), (number,), each) for number, each in enumerate(which)),
         Operator("ASSIGN_VARIABLE", (0, 2), ()), Operator("ASSIGN_VARIABLE", (1, 3), ())), (), ())
    once = (Operator("CALL_ONCE", (), (), options.CallOnceOptions(1)),) if begins else ()
    return Model(tensors, (*once, *operators), (0,), (10, 12, 13, 3),
                 others=(first,) if begins else ())


def held_network():
    """Model of a RELU whose output is kept; the output before it comes out in floating point."""
    kind    = {"scale": 0.5, "zero_point": 3}
    handle  = Tensor("held", (), RESOURCE)
    tensors = (value("x", (1, 4), **kind), handle, value("old", (1, 4), **kind),
               value("before", (1, 4), TENSOR_TYPE.FLOAT32), value("y", (1, 4), **kind))
    which   = options.VarHandleOptions("", "held")
    first   = Subgraph((handle, constant("first", np.int8([[1, 2, 3, 4]]), (0.5,))), (
        Operator("VAR_HANDLE", (), (0,), which), Operator("ASSIGN_VARIABLE", (0, 1), ())), (), ())
    operators = (
        Operator("CALL_ONCE", (), (), options.CallOnceOptions(1)),
        Operator("VAR_HANDLE", (), (1,), which), Operator("READ_VARIABLE", (1,), (2,)),
        Operator("DEQUANTIZE", (2,), (3,)), Operator("RELU", (0,), (4,)),
        Operator("ASSIGN_VARIABLE", (1, 4), ()))
    return Model(tensors, operators, (0,), (3, 4), others=(first,))


def byte_network(*, same=True):
    """Model of a RELU between uint8, in ``same`` scales or others; its input is an output, too."""
    scale = 0.5 if same else 0.3125
    tensors = (value("x", (1, 2, 3, 2), UINT8, 0.5, 128 if same else 90),
               value("a", (1, 2, 3, 2), INT8, scale, 0 if same else -11),
               value("b", (1, 2, 3, 2), INT8, scale, 0 if same else 20),
               value("c", (1, 2, 3, 2), UINT8, scale, 128 if same else 200),
               value("y", (1, 12), UINT8, scale, 128 if same else 200),
               constant("shape", np.int32([1, 12])), constant("k", np.int8([1, 2]), (0.5,)))
    return Model(tensors, (
        Operator("QUANTIZE", (0,), (1,)), Operator("RELU", (1,), (2,)),
        Operator("QUANTIZE", (2,), (3,)),
        Operator("RESHAPE", (3, 5), (4,), options.ReshapeOptions((1, 12)))), (0,), (4, 0, 6, 2))


def factor_network(*size):
    """Model of a pixel as the factor of another, which lies in Y, and of an image of rows, columns
    and channels.
    """
    pixel   = (1, 1, 1, size[-1])
    tensors = (value("x", (1, *size)), value("a", pixel), value("b", pixel),
               value("y", (1, *size)), value("z", pixel))
    return Model(tensors, tuple(
        Operator("MUL", inputs, outputs, options.MulOptions(ACTIVATION.NONE))
        for inputs, outputs in (((0, 2), (3,)), ((1, 2), (4,)))), (0, 1, 2), (3, 4))


def shape_network():
    """Model of a RESHAPE to the shape that SHAPE, STRIDED_SLICE, MUL and PACK compute."""
    tensors = (value("x", (2, 6)), Tensor("shape", (2,), INT32), constant("0", np.int32([0])),
               constant("1", np.int32([1])), Tensor("rows", (), INT32),
               constant("three", np.array(3, np.int32)), constant("one", np.array(1, np.int32)),
               Tensor("product", (), INT32), Tensor("packed", (3,), INT32),
               value("y", (6, 1, 2)), constant("two", np.array(2, np.int32)))
    return Model(tensors, (
        Operator("SHAPE", (0,), (1,), options.ShapeOptions(INT32)),
        Operator("STRIDED_SLICE", (1, 2, 3, 3), (4,), options.StridedSliceOptions(
            shrink_axis_mask=1)),
        Operator("MUL", (4, 5), (7,), options.MulOptions(ACTIVATION.NONE)),
        Operator("PACK", (7, 6, 10), (8,), options.PackOptions(3, 0)),
        Operator("RESHAPE", (0, 8), (9,), options.ReshapeOptions())), (0,), (9,))

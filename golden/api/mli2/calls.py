# SPDX-License-Identifier: Apache-2.0
"""Golden-model layers of MLI 2.0 calls."""

from dataclasses import replace
from functools import cached_property
from operator import index

import numpy as np

from xymac.golden.api.call import Call as BaseCall
from xymac.golden.api.types import mli_relu_type
from xymac.golden.fixed import saturate
from xymac.golden.kinds import Act, EltwiseOp, Relu
from xymac.golden.mli2.activation import LeakyRelu, Prelu, Rectify, Sigmoid, Tanh
from xymac.golden.mli2.cells import Direction, GruCell, LstmCell, RnnOutput
from xymac.golden.mli2.conv import Conv2d, DepthwiseConv2d, GroupConv2d, TransposeConv2d
from xymac.golden.mli2.convert import ConvertTensor
from xymac.golden.mli2.dense import FullyConnected, RnnDense
from xymac.golden.mli2.eltwise import Eltwise
from xymac.golden.mli2.move import ArgMax, Permute
from xymac.golden.mli2.pool import AvePool, MaxPool
from xymac.golden.mli2.softmax import L2Normalize, Softmax
from xymac.golden.mli2.tensor import Affine, Element, Fixed, QuantTensor
from xymac.golden.views import have_overlaps

from .configs import mli_rnn_direction, mli_rnn_results
from .luts import to_table
from .memory import dims, read, size_of, span, strides_of, to_tensor, view, write
from .outputs import fill_fields, is_cut, written_shape, written_strides
from .types import format_of, mli_element_type

__all__ = ["Call"]

#: Functions that set the output's element parameters.
_FORMATTERS = ("maxpool", "relu", "sigm", "tanh", "softmax", "l2_normalize", "argmax", "permute")
_CONVERTERS = ("convert_tensor", "convert_tensor_safx")
#: Types that the conversion of the library does not have, and those that stand in for them: they
#: hold all their values.
_STANDS_FOR = {Element.FX_4: Element.FX_8, Element.FP_16: Element.FP_32}


class Call(BaseCall):
    """A call of an MLI 2.0 function."""

    def __init__(self, name, build, arguments):
        super().__init__(name, build.rounding, arguments)
        self.build = build

    @property
    def tensors(self):
        """Inputs that an RNN dense function uses."""
        return list(self.inputs)[:self.cfg.inputs_num]

    @property
    def matrices(self):
        """Weights that an RNN dense function uses."""
        return list(self.weights)[:self.cfg.inputs_num]

    @property
    def kernel(self):
        """Rows and columns of the window, not dilated."""
        if hasattr(self, "weights"):
            return tuple(self.weights.shape[:2])
        return index(self.cfg.kernel_height), index(self.cfg.kernel_width)

    @property
    def dilation(self):
        """Rows and columns from tap to tap; a transposed convolution and pooling have none."""
        if self.name.primitive == "transpose_conv2d" or not hasattr(self, "weights"):
            return 1, 1
        return index(self.cfg.dilation_height), index(self.cfg.dilation_width)

    @property
    def reach(self):
        """Rows and columns that the dilated window covers."""
        return tuple((size - 1) * step + 1
                     for size, step in zip(self.kernel, self.dilation, strict=True))

    @property
    def image(self):
        """Rows and columns of the input."""
        return tuple(self.in_.shape[:2])

    @property
    def channels(self):
        """Channels of the input."""
        return self.in_.shape[2]

    @property
    def converts(self):
        """Whether the output has a type of its own."""
        return self.name.primitive in _CONVERTERS

    @property
    def formats(self):
        """Whether the function sets the parameters of the output."""
        return self.name.primitive in _FORMATTERS

    @property
    def out_type(self):
        """Element type of the output."""
        own = self.converts or self.name.primitive == "argmax"
        return mli_element_type(self.out.el_type if own else self.first.el_type)

    @property
    def out_format(self):
        """Output format that the caller requests."""
        return format_of(self.out, self.out_type, dims(self.first))

    @cached_property
    def operands(self):
        """Inputs of the layer, QuantTensors."""
        if self.name.primitive == "rnn_dense":
            return tuple(map(to_tensor, self.tensors))
        if hasattr(self, "in1"):
            rank = max(self.in1.rank, self.in2.rank)
            return to_tensor(self.in1, rank), to_tensor(self.in2, rank)
        x = to_tensor(self.in_)
        if (self.name.data_type or "").endswith("ext_bias"):
            x = replace(x, format=replace(x.format, zero_point=0))
        stand_in = _STANDS_FOR.get(x.element)
        if self.converts and stand_in:
            x = QuantTensor(x.data.astype(stand_in.dtype), stand_in, x.format)
        return (x,)

    @property
    def builders(self):
        """Functions from the call to a layer, by primitive."""
        return _LAYERS

    @cached_property
    def result_shape(self):
        """Shape of the complete result; ``out`` can hold a part of it."""
        return self.layer.output_shape(*(x.shape for x in self.operands))

    @property
    def output_shape(self):
        """Shape of the written elements."""
        return written_shape(self)

    @property
    def output_strides(self):
        """Their strides in the memory of ``out``."""
        return written_strides(self)

    @property
    def output_bytes(self):
        """Memory from the first to the last element of the output."""
        return size_of(span(self.output_shape, self.output_strides), self.out_type)

    @property
    def destination(self):
        """View of the output memory for direct writes, or None.

        None if the stored elements differ from the layer's, share a byte, or overlap.
        """
        shape, strides = self.output_shape, self.output_strides
        if (Element(self.out_type) in _STANDS_FOR or is_cut(self) or have_overlaps(shape, strides)
                or (self.name.primitive == "argmax" and not self._finds_places_as_they_are)):
            return None
        return view(self.out, shape, self.out_type, strides)

    @property
    def _finds_places_as_they_are(self):
        return (self.out_type == mli_element_type.MLI_EL_SA_32
                and read(self.in_).flags.c_contiguous)

    def store(self, result, *, filled=False):
        """Write a Result to the output, unless ``filled``, and to the cell if there is one.

        Updates the output fields as the library function does.
        """
        shape, strides = self.output_shape, self.output_strides
        values, whole  = self._values(result.output), self.result_shape
        if len(shape) != len(whole) or any(size > most for size, most in zip(
                shape, whole, strict=True)):
            raise ValueError(f"out has shape {shape}, the result {whole}")
        if not filled:
            write(self.out, values[tuple(map(slice, shape))], self.out_type, strides)
        fill_fields(self, result.output.format)
        if result.cell is not None:
            write(self.cell, result.cell.data)

    def _values(self, output):
        """Data of the output as they are stored."""
        element = Element(self.out_type)
        if self.name.primitive == "argmax":
            return _places(output.data, self.in_).astype(element.dtype)
        if element is Element.FX_4:
            return saturate(output.data, 4)
        if element is Element.FP_16:
            with np.errstate(over="ignore"):  # Values out of range become infinite, as in IEEE 754.
                return output.data.astype(element.dtype)
        return output.data


def _places(places, tensor):
    """Memory indices of tensor elements with the element numbers ``places`` (C order)."""
    shape   = dims(tensor)
    strides = strides_of(shape, tensor.mem_stride)
    indices = np.unravel_index(places, shape)
    return sum(axis * step for axis, step in zip(indices, strides, strict=True)).astype(
        places.dtype)


def _relu(cfg):
    return Relu(mli_relu_type(cfg.type))


def _convolution(kind):
    def build(call):
        return kind(to_tensor(call.weights), to_tensor(call.bias), call.out_format, call.stride,
                    call.pad, call.dilation, _relu(call.cfg.relu), call.build)
    return build


def _fully_connected(call):
    return FullyConnected(to_tensor(call.weights), to_tensor(call.bias), call.out_format,
                          _relu(call.cfg.relu), call.build)


def _rnn_dense(call):
    return RnnDense(tuple(map(to_tensor, call.matrices)), to_tensor(call.bias), call.out_format,
                    call.build)


_DIRECTIONS = {mli_rnn_direction.RNN_DIR_FORWARD: Direction.FWD,
               mli_rnn_direction.RNN_DIR_BACKWARD: Direction.BWD}
_RESULTS    = {mli_rnn_results.RNN_OUT_LAST: RnnOutput.LAST,
               mli_rnn_results.RNN_OUT_ALL: RnnOutput.ALL}


def _cell(call):
    common = (*(to_tensor(getattr(call, name)) for name in (
        "weights_in", "weights_out", "bias", "prev_out")), call.out_format,
        _DIRECTIONS[call.cfg.direction], _RESULTS[call.cfg.results], call.build)
    tables = to_table(call.tanh_lut), to_table(call.sigm_lut)
    if call.name.primitive == "gru_cell":
        return GruCell(*common, call.documented, *tables)
    return LstmCell(*common, to_tensor(call.cell), Act(call.cfg.act), *tables)


def _leaky(call):
    slope, out, x = to_tensor(call.slope_coeff), call.out_format, format_of(call.in_)
    if not isinstance(x, Affine):
        # Only products are shifted to the format of the output: a slope of so many bits less.
        bits  = slope.format.frac_bits + x.frac_bits - out.frac_bits
        slope, out = replace(slope, format=Fixed(bits)), None
    if call.name.primitive == "leaky_relu":
        return LeakyRelu(slope, out, call.build)
    axis  = max(index(call.cfg.axis), -1)
    shape = [1] * call.in_.rank
    if axis >= 0:
        shape[axis] = -1
    return Prelu(replace(slope, data=slope.data.reshape(shape)), out, call.build, axis)


def _eltwise(op):
    return lambda call: Eltwise(op, call.out_format, call.build)


def _convert(call):
    element, kind = Element(call.out_type), call.out_format
    return ConvertTensor(_STANDS_FOR.get(element, element), kind, call.build)


def _axis(call):
    return max(index(call.cfg.axis), -1)


_LAYERS = {
    "conv2d":           _convolution(Conv2d),
    "depthwise_conv2d": _convolution(DepthwiseConv2d),
    "group_conv2d":     _convolution(GroupConv2d),
    "transpose_conv2d": _convolution(TransposeConv2d),
    "fully_connected":  _fully_connected,
    "rnn_dense":        _rnn_dense,
    "lstm_cell":        _cell,
    "gru_cell":         _cell,
    "maxpool":          lambda call: MaxPool(call.kernel, call.stride, call.pad),
    "avepool":          lambda call: AvePool(call.kernel, call.stride, call.pad, call.out_format,
                                             call.build),
    "relu":             lambda call: Rectify(_relu(call.cfg)),
    "leaky_relu":       _leaky,
    "prelu":            _leaky,
    "sigm":             lambda call: Sigmoid(call.build, to_table(call.lut)),
    "tanh":             lambda call: Tanh(call.build, to_table(call.lut)),
    "softmax":          lambda call: Softmax(_axis(call), call.build, to_table(call.lut)),
    "l2_normalize":     lambda call: L2Normalize(_axis(call), call.build,
                                                  to_table(call.lut)),
    **{f"eltwise_{op.value}": _eltwise(op) for op in EltwiseOp},
    "permute":          lambda call: Permute(tuple(map(index, tuple(
        call.cfg.perm_dim)[:call.in_.rank]))),
    "argmax":           lambda call: ArgMax(index(call.cfg.topk), _axis(call)),
    "convert_tensor":      _convert,
    "convert_tensor_safx": _convert,
}

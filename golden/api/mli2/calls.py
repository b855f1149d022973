# SPDX-License-Identifier: Apache-2.0
"""Golden-model layers for MLI 2.0 calls."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.api.call import Call as BaseCall
from xymac.golden.fixed import saturate
from xymac.golden.mli2.tensor import Element, QuantTensor
from xymac.golden.views import have_overlaps

from .layers import LAYERS, STANDS_FOR
from .memory import dims, read, size_of, span, strides_of, to_tensor, view, write
from .outputs import fill_fields, is_cut, written_shape, written_strides
from .types import format_of, mli_element_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.grammar import Name
    from xymac.golden.formats import Format
    from xymac.golden.mli2.arithmetic import Build
    from xymac.golden.result import Result

    from .types import mli_tensor

__all__ = ["Call"]

#: Functions that set the output's element parameters.
_FORMATTERS = ("maxpool", "relu", "sigm", "tanh", "softmax", "l2_normalize", "argmax", "permute")
_CONVERTERS = ("convert_tensor", "convert_tensor_safx")


class Call(BaseCall):
    """An MLI 2.0 function call."""

    def __init__(self, name: Name, build: Build, arguments: dict[str, Any]) -> None:
        super().__init__(name, build.rounding, arguments)
        self.build = build

    @property
    def tensors(self) -> list[mli_tensor]:
        """Inputs in use by an RNN dense function."""
        return list(self.inputs)[:self.cfg.inputs_num]

    @property
    def matrices(self) -> list[mli_tensor]:
        """Weights in use by an RNN dense function."""
        return list(self.weights)[:self.cfg.inputs_num]

    @property
    def kernel(self) -> tuple[int, ...]:
        """Window rows and columns, not dilated."""
        if hasattr(self, "weights"):
            return tuple(self.weights.shape[:2])
        return index(self.cfg.kernel_height), index(self.cfg.kernel_width)

    @property
    def dilation(self) -> tuple[int, int]:
        """Rows and columns from tap to tap; a transposed convolution and pooling have none."""
        if self.name.primitive == "transpose_conv2d" or not hasattr(self, "weights"):
            return 1, 1
        return index(self.cfg.dilation_height), index(self.cfg.dilation_width)

    @property
    def reach(self) -> tuple[int, ...]:
        """Rows and columns that the dilated window covers."""
        return tuple((size - 1) * step + 1
                     for size, step in zip(self.kernel, self.dilation, strict=True))

    @property
    def image(self) -> tuple[int, ...]:
        """Input rows and columns."""
        return tuple(self.in_.shape[:2])

    @property
    def channels(self) -> int:
        """Input channels."""
        return self.in_.shape[2]

    @property
    def converts(self) -> bool:
        """Whether the output has its own type."""
        return self.name.primitive in _CONVERTERS

    @property
    def formats(self) -> bool:
        """Whether the function sets the output parameters."""
        return self.name.primitive in _FORMATTERS

    @property
    def out_type(self) -> mli_element_type:
        """Output element type."""
        own = self.converts or self.name.primitive == "argmax"
        return mli_element_type(self.out.el_type if own else self.first.el_type)

    @property
    def out_format(self) -> Format:
        """Requested output format."""
        return format_of(self.out, self.out_type, dims(self.first))

    @cached_property
    def operands(self) -> tuple[QuantTensor, ...]:
        """Layer inputs, QuantTensors."""
        if self.name.primitive == "rnn_dense":
            return tuple(map(to_tensor, self.tensors))
        if hasattr(self, "in1"):
            rank = max(self.in1.rank, self.in2.rank)
            return to_tensor(self.in1, rank), to_tensor(self.in2, rank)
        x = to_tensor(self.in_)
        if (self.name.data_type or "").endswith("ext_bias"):
            x = replace(x, format=replace(x.affine, zero_point=0))
        stand_in = STANDS_FOR.get(x.element)
        if self.converts and stand_in:
            x = QuantTensor(x.data.astype(stand_in.dtype), stand_in, x.format)
        return (x,)

    @property
    def builders(self) -> dict[str, Callable]:
        """Functions from the call to a layer, by primitive."""
        return LAYERS

    @cached_property
    def result_shape(self) -> tuple[int, ...]:
        """Complete result shape; ``out`` can hold a part of the result."""
        return self.layer.output_shape(*(x.shape for x in self.operands))

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the written elements."""
        return written_shape(self)

    @property
    def output_strides(self) -> tuple[int, ...]:
        """Strides of the written elements in the ``out`` memory."""
        return written_strides(self)

    @property
    def output_bytes(self) -> int:
        """Memory bytes from the first to the last output element."""
        return size_of(span(self.output_shape, self.output_strides), self.out_type)

    @property
    def destination(self) -> np.ndarray | None:
        """View for direct writes to the output memory, or None.

        None if the stored elements differ from the layer's, share a byte, or overlap.
        """
        shape, strides = self.output_shape, self.output_strides
        if (Element(self.out_type) in STANDS_FOR or is_cut(self) or have_overlaps(shape, strides)
                or (self.name.primitive == "argmax" and not self._finds_places_as_they_are)):
            return None
        return view(self.out, shape, self.out_type, strides)

    @property
    def _finds_places_as_they_are(self):
        return (self.out_type == mli_element_type.MLI_EL_SA_32
                and read(self.in_).flags.c_contiguous)

    def store(self, result: Result, *, filled: bool = False) -> None:
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
        fill_fields(self, getattr(result.output, "format", None))
        if result.cell is not None:
            write(self.cell, result.cell.data)

    def _values(self, output):
        """Output data as they are stored."""
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
    """Memory indices for tensor elements with the element numbers ``places`` (C order)."""
    shape   = dims(tensor)
    strides = strides_of(shape, tensor.mem_stride)
    indices = np.unravel_index(places, shape)
    start   = np.zeros_like(places, np.int64)
    return sum((axis * step for axis, step in zip(indices, strides, strict=True)), start).astype(
        places.dtype)

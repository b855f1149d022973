"""Constants of one kernel call, and what makes a call legal."""

from dataclasses import dataclass
from enum import Enum

from golden.checks import check_ints, check_kind, check_rank, check_windows
from golden.ints import PlainInts
from golden.kinds import Relu
from hdl.isa import AccumulatorRange, RoundMode

from .checks import BIAS_SHIFT_MAX, check_bias, check_image, check_types
from .tensor import Tensor, check_frac_bits

__all__ = ["BIAS_SHIFT_MAX", "Conv2d", "DepthwiseConv2d", "FullyConnected", "Layout"]


class Layout(Enum):
    """Order of the dimensions of input, output and weights."""

    CHW = "chw"  #: Weights are (N, C, H, W).
    HWC = "hwc"  #: Weights are (N, H, W, C).


@dataclass(frozen=True)
class _Linear(PlainInts):
    """What every kernel with weights and a bias has; ``x`` below is its input, a Tensor."""

    weights:       Tensor
    bias:          Tensor
    out_frac_bits: int

    def bias_shift(self, x):
        """Left shift that aligns the bias with the products, bits."""
        return x.frac_bits + self.weights.frac_bits - self.bias.frac_bits

    def out_shift(self, x):
        """Right shift from accumulator to output, bits; negative shifts left."""
        return x.frac_bits + self.weights.frac_bits - self.out_frac_bits

    def acc_range(self, x):
        """Range of the library's accumulator: 40 bits for fx16, 32 for fx8 and fx8w16d."""
        return AccumulatorRange.BITS40 if self.weights.bits == 16 else AccumulatorRange.BITS32

    def limits(self, x):
        """Lowest and highest output, inclusive."""
        return Relu.NONE.limits(self.out_frac_bits, x.bits)

    def _check_bias(self, x):
        check_frac_bits("out_frac_bits", self.out_frac_bits)
        check_kind("rounding", self.rounding, RoundMode)
        check_bias(x, self.weights, self.bias, self.weights.shape[:1])


@dataclass(frozen=True)
class Conv2d(_Linear):
    """2-D convolution.

    Parameters
    ----------
    weights : Tensor, shape (N, C, H, W) for CHW, (N, H, W, C) for HWC
    bias : Tensor, shape (N,)
    out_frac_bits : int, 0 .. 255
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements of zero, each less than the kernel
    relu : Relu
    layout : Layout, of input, weights and output
    rounding : RoundMode
    """

    stride:   tuple = (1, 1)
    pad:      tuple = (0, 0, 0, 0)
    relu:     Relu = Relu.NONE
    layout:   Layout = Layout.CHW
    rounding: RoundMode = RoundMode.CONVERGENT

    @property
    def kernel(self):
        """Rows and columns of the kernel."""
        return self._image(self.weights.shape[1:])[1:]

    def limits(self, x):
        """Lowest and highest output, inclusive."""
        return self.relu.limits(self.out_frac_bits, x.bits)

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        sizes = (self._padded(x_shape, axis) - self.kernel[axis] for axis in (0, 1))
        rows, cols = (size // step + 1 for size, step in zip(sizes, self.stride, strict=True))
        outputs = self.weights.shape[0]
        return (outputs, rows, cols) if self.layout is Layout.CHW else (rows, cols, outputs)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_types(x, self.weights, self.bias)
        self._check_kinds()
        check_image(x)
        check_rank("Weights", self.weights, 4)
        self._check_channels(x)
        check_windows(self.kernel, self.stride, self.pad, self._image(x.shape)[1:])
        self._check_bias(x)

    def _image(self, shape):
        """Channels, rows and columns of ``shape``."""
        return shape if self.layout is Layout.CHW else (shape[2], *shape[:2])

    def _padded(self, x_shape, axis):
        return self._image(x_shape)[1 + axis] + sum(self.pad[2 * axis:2 * axis + 2])

    def _check_kinds(self):
        check_kind("relu", self.relu, Relu)
        check_kind("layout", self.layout, Layout)
        check_ints("stride", self.stride, 2)
        check_ints("pad", self.pad, 4)

    def _check_channels(self, x):
        expected, found = (self._image(shape)[0] for shape in (self.weights.shape[1:], x.shape))
        if expected != found:
            raise ValueError(f"Weights have {expected} input channels, input has {found}")


@dataclass(frozen=True)
class DepthwiseConv2d(Conv2d):
    """2-D convolution of every channel with a kernel of its own.

    Parameters are those of ``Conv2d``, with weights of shape (C, 1, H, W) and layout CHW only.
    """

    def _check_channels(self, x):
        if self.layout is not Layout.CHW:
            raise ValueError(f"Layout of a depthwise convolution must be CHW, "
                             f"not {self.layout.name}")
        channels, ones = self.weights.shape[:2]
        if ones != 1:
            raise ValueError(f"Depthwise weights must have 1 input channel, not {ones}")
        if channels != x.shape[0]:
            raise ValueError(f"Depthwise weights have {channels} channels, input has "
                             f"{x.shape[0]}")


@dataclass(frozen=True)
class FullyConnected(_Linear):
    """Product of a matrix and the flattened input.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs)
    bias : Tensor, shape (outputs,)
    out_frac_bits : int, 0 .. 255
    rounding : RoundMode
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    def output_shape(self, x_shape):
        """Shape of the output, whatever the shape of the input."""
        return self.weights.shape[:1]

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_types(x, self.weights, self.bias)
        check_rank("Weights", self.weights, 2)
        if self.weights.shape[1] != x.data.size:
            raise ValueError(f"Weights have {self.weights.shape[1]} inputs, input has "
                             f"{x.data.size} elements")
        self._check_bias(x)

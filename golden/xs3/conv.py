# SPDX-License-Identifier: Apache-2.0
"""XS3 library convolution kernels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from math import prod

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.xs3 import BLOCK
from xymac.golden.result import Result

from .bso import BsoOutput, check_low
from .integers import Integers, check_channels, check_count, check_integers, check_range
from .layer import IntegerLayer
from .sums import accumulate, block_sums, blocks
from .window import Window

__all__ = ["Conv2d1x1", "Conv2dDeep", "Conv2dDepthwise", "Conv2dShallowin"]


class _Outputs(IntegerLayer):
    """Fields that every convolution adds behind its other fields."""

    low:         int
    final_shift: bool


@dataclass(frozen=True)
class _Convolution(_Outputs):
    """Base for the convolutions; ``x`` below is the input, Integers."""

    weights: Integers
    bso:     Integers

    work_unit = WorkUnit.PRODUCTS

    def _check_ends(self, x, rank):
        """Check everything except the window; ``rank`` is the weight rank."""
        check_integers("Input", x, (np.int8,), 3)
        check_integers("Weights", self.weights, (np.int8,), rank)
        check_count("Weights", self._inputs, "input", x.shape[2])
        check_channels("Input", self._inputs)
        check_channels("Output", self._outputs)
        check_low(self.low)
        check_kind("final_shift", self.final_shift, bool)
        self._output()

    @property
    def _inputs(self):
        return self.weights.shape[-1]

    @property
    def _outputs(self):
        return self.weights.shape[0]

    def _output(self):
        return BsoOutput.read(self.bso, self._outputs)

    def _result(self, acc):
        return Result(Integers(self._output().to8(acc, self.low, self.final_shift)),
                      overflow=False)


@dataclass(frozen=True)
class Conv2d1x1(_Convolution):
    """Matrix product with every pixel: ``conv2d_1x1``.

    Input channels are added 32 at a time, the short block last. The library's C saturates after
    every product instead, its assembly does not.

    Parameters
    ----------
    weights : Integers, int8, shape (outputs, inputs), both multiples of 4
    bso, low, final_shift : see ``FullyConnected``

    Source: lib_nn 96bd67c, src/c/conv2d_1x1.c.
    """

    low:         int = -128
    final_shift: bool = False

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape (rows, columns, outputs) for the input shape ``x_shape``."""
        return (*x_shape[:2], self._outputs)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count: pixels times weights."""
        return prod(x_shape[:2]) * prod(self.weights.shape)

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        self._check_ends(x, 2)

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (rows, columns, inputs)."""
        sums = block_sums(blocks(x.data.reshape(-1, self._inputs)), blocks(self.weights.data))
        acc  = accumulate(self._output().bias, sums)
        return self._result(acc.reshape(self.output_shape(x.shape)))


@dataclass(frozen=True)
class _Windowed(_Convolution):
    """Base for the convolutions whose kernel can reach beyond the image; subclasses add fields."""

    window:      Window
    zero_point:  int = 0
    low:         int = -128
    final_shift: bool = False

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape (rows, columns, outputs); it does not depend on the input shape."""
        return (*self.window.out, self._outputs)

    @abstractmethod
    def _sums(self, x, row) -> np.ndarray:
        """Sums in a row of outputs, without bias."""

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Count of products whose tap lies on the image."""
        return self.window.count_taps(self.kernel, x_shape[:2]) * self._products

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (rows, columns, inputs)."""
        bias = self._output().bias
        rows = [accumulate(bias, self._sums(x.data, row)) for row in range(self.window.out[0])]
        return self._result(np.stack(rows))

    @property
    def kernel(self) -> tuple[int, ...]:
        """Kernel rows and columns."""
        return self.weights.shape[1:3]

    @property
    def _products(self):
        """Products that one tap has over all channels and outputs."""
        return self._inputs * self._outputs

    def _check_window(self):
        check_kind("window", self.window, Window)
        self.window.check()
        check_range("zero_point", self.zero_point, -128, 127)


@dataclass(frozen=True)
class Conv2dDeep(_Windowed):
    """Convolution over many channels: ``conv2d_deep``.

    Order of the additions: kernel rows above the image, then below it, then inside; within a row
    column by column; within a column blocks of 32 channels, the short block last.

    Parameters
    ----------
    weights : Integers, int8, shape (outputs, kernel rows, kernel columns, inputs); outputs and
        inputs are multiples of 4
    bso, low, final_shift : see ``FullyConnected``
    window : Window
    zero_point : int, -128 .. 127, padding value

    Source: lib_nn 96bd67c, src/c/util/deep/nn_conv2d_hstrip_deep.c.
    """

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        self._check_ends(x, 4)
        self._check_window()

    def _sums(self, image, row):
        """Block sums in one output row in addition order: int64 (blocks, columns, outputs)."""
        order   = self.window.outside_first(row, self.kernel[0], image.shape[0])
        taps    = self.window.taps(image, row, self.kernel, self.zero_point)[order]
        weights = self.weights.data[:, order]
        return block_sums(
            blocks(taps.transpose(1, 0, 2, 3)).reshape(self.window.out[1], -1, BLOCK),
            blocks(weights).reshape(self._outputs, -1, BLOCK))


@dataclass(frozen=True)
class Conv2dShallowin(Conv2dDeep):
    """Convolution over few channels: ``conv2d_shallowin``, which adds a whole kernel row at once.

    Parameters as in ``Conv2dDeep``, with weight shape (outputs, kernel rows, 32 / inputs,
    inputs), inputs 4, 8, 16 or 32, and

    columns : int, kernel columns; weights in further columns must be 0

    The document limits inputs times kernel rows to 32; the code limits inputs times columns.
    Source: lib_nn 96bd67c, src/c/util/shallow/nn_conv2d_hstrip_shallowin.c.
    """

    columns: int = field(kw_only=True)

    @property
    def kernel(self) -> tuple[int, int]:
        """Kernel rows and columns, without the zero columns."""
        return self.weights.shape[1], self.columns

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        super().check(x)
        inputs, held = self._inputs, self.weights.shape[2]
        if inputs * held != BLOCK:
            raise ValueError(f"Weights of a kernel row must be {BLOCK}, inputs times columns, "
                             f"not {inputs * held}")
        check_range("columns", self.columns, 1, held)
        beyond = np.count_nonzero(self.weights.data[:, :, self.columns:])
        if beyond:
            raise ValueError(f"Weights from column {self.columns} on must be 0, but {beyond} are "
                             f"not")

    def _sums(self, image, row):
        """Kernel row sums in one output row in addition order: int64 (rows, columns, outputs)."""
        rows  = self.weights.shape[1]
        order = self.window.outside_first(row, rows, image.shape[0])
        taps  = self.window.taps(image, row, self.weights.shape[1:3], self.zero_point)[order]
        return block_sums(taps.transpose(1, 0, 2, 3).reshape(self.window.out[1], rows, BLOCK),
                          self.weights.data[:, order].reshape(self._outputs, rows, BLOCK))


@dataclass(frozen=True)
class Conv2dDepthwise(_Windowed):
    """Convolution in which each channel has its own kernel: ``conv2d_depthwise``.

    Products are added one at a time, row by row, column by column, also outside the image. The
    library's C wraps at 32 bits; the vector unit saturates.

    Parameters
    ----------
    weights : Integers, int8, shape (kernel rows, kernel columns, channels), channels a multiple of
        4
    bso, low, final_shift : see ``FullyConnected``
    window : Window
    zero_point : int, -128 .. 127, padding value

    Source: lib_nn 96bd67c, src/c/util/depthwise/nn_conv2d_hstrip_depthwise.c.
    """

    work_unit = WorkUnit.LANES

    @property
    def _outputs(self):
        return self._inputs

    @property
    def kernel(self) -> tuple[int, ...]:
        """Kernel rows and columns."""
        return self.weights.shape[:2]

    @property
    def _products(self):
        return self._inputs

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        self._check_ends(x, 3)
        self._check_window()

    def _sums(self, image, row):
        """Products in one output row in addition order: int64 (taps, columns, channels)."""
        taps     = self.window.taps(image, row, self.kernel, self.zero_point)
        products = taps.transpose(0, 2, 1, 3) * self.weights.data[:, :, np.newaxis]
        return products.reshape(-1, *products.shape[2:])

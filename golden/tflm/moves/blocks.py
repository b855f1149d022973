# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators between row and column blocks, channels and images."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints, check_rank
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.tensor import Quantisation

from .pick import Picked

__all__ = ["BatchToSpaceNd", "DepthToSpace", "SpaceToBatchNd", "SpaceToDepth"]


def _number(shape):
    """Flat indices (C order) in an array of ``shape``."""
    return np.arange(prod(shape)).reshape(shape)


def _check_block(block):
    check_ints("block", (block,), 1)
    if block < 1:
        raise ValueError(f"block must be at least 1, not {block}")


@dataclass(frozen=True)
class DepthToSpace(Picked):
    """DEPTH_TO_SPACE: channels of an image (N, H, W, C) become row and column blocks, INT8.

    Source: tensorflow/lite/kernels/internal/reference/depth_to_space.h.

    Parameters
    ----------
    block : int, rows and columns in a block
    out : output Quantisation; None for the input's
    """

    block: int
    out:   Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        images, rows, columns, depth = x_shape
        block  = self.block
        blocks = _number(x_shape).reshape(images, rows, columns, block, block, -1)
        return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(
            images, rows * block, columns * block, depth // block ** 2)

    def _check_place(self, x):
        check_types("Input", x, "INT8", "FLOAT32")
        self._whole(x)
        check_rank("Input", x, 4)
        _check_block(self.block)
        if x.shape[3] % self.block ** 2:
            raise ValueError(f"Channels of the input must be a multiple of the "
                             f"{self.block ** 2} elements of a block, not {x.shape[3]}")


@dataclass(frozen=True)
class SpaceToDepth(Picked):
    """SPACE_TO_DEPTH: row and column blocks in an image (N, H, W, C) become channels, INT8.

    Source: tensorflow/lite/kernels/internal/reference/space_to_depth.h.

    Parameters
    ----------
    block : int, rows and columns in a block
    out : output Quantisation; None for the input's
    """

    block: int
    out:   Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        images, rows, columns, depth = x_shape
        block  = self.block
        blocks = _number(x_shape).reshape(images, rows // block, block, columns // block, block,
                                          depth)
        return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(
            images, rows // block, columns // block, depth * block ** 2)

    def _check_place(self, x):
        check_types("Input", x, "INT8", "FLOAT32")
        self._whole(x)
        check_rank("Input", x, 4)
        _check_block(self.block)
        for axis in (1, 2):
            if x.shape[axis] % self.block:
                raise ValueError(f"Dimension {axis} must be a multiple of the {self.block} "
                                 f"elements of a block, not {x.shape[axis]}")


class _Batches(Picked):
    """Fields and checks for the two operators on images."""

    block:  tuple[int, ...]
    images: int | None

    def _check_batches(self, x, name):
        check_types("Input", x, "INT8", "INT16", "FLOAT32")
        self._whole(x)
        if x.type_name == "INT16" and self.images is not None:
            raise ValueError(f"Images of INT16 must all be computed, not {self.images} of them: "
                             f"the file must have a fixed batch")
        if x.data.ndim not in (3, 4):
            raise ValueError(f"Input must have 3 or 4 dimensions, not {x.data.ndim}")
        count = x.data.ndim - 2
        check_ints("block", self.block, count)
        for each in self.block:
            _check_block(each)
        pairs = getattr(self, name)
        if not isinstance(pairs, tuple) or len(pairs) != count:
            raise TypeError(f"{name} must be a tuple of {count} pairs, not {pairs!r}")
        for pair in pairs:
            check_ints(f"Each of {name}", pair, 2)
            if min(pair) < 0:
                raise ValueError(f"{name} must not be negative, not {min(pair)}")


@dataclass(frozen=True)
class SpaceToBatchNd(_Batches):
    """SPACE_TO_BATCH_ND: each position within the blocks becomes an image, INT8 or INT16.

    Padding elements are 0 whatever the zero point, as in the library.
    Source: tensorflow/lite/kernels/internal/reference/space_to_batch_nd.h.

    Parameters
    ----------
    block : tuple of int, block size along the dimensions between the first and the last
    pads : tuple of (before, behind), elements, for each of these dimensions
    out : output Quantisation; None for the input's
    images : int, count of output images to keep, None for all
    """

    block:  tuple[int, ...]
    pads:   tuple[tuple[int, ...], ...]
    out:    Quantisation | None = None
    images: int | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, -1 around the input."""
        numbers = np.pad(_number(x_shape), ((0, 0), *self.pads, (0, 0)), constant_values=-1)
        images, *sizes, depth = numbers.shape
        split = [part for size, each in zip(sizes, self.block, strict=True)
                 for part in (size // each, each)]
        count = len(sizes)
        order = (*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), 2 * count + 1)
        whole = numbers.reshape(images, *split, depth).transpose(order)
        return whole.reshape(images * prod(self.block), *split[::2], depth)[:self.images]

    def _check_place(self, x):
        self._check_batches(x, "pads")
        most = x.shape[0] * prod(self.block)
        check_ints("images", (most if self.images is None else self.images,), 1)
        if self.images is not None and not 1 <= self.images <= most:
            raise ValueError(f"images must be between 1 and {most}, not {self.images}")
        for axis, (each, pair) in enumerate(zip(self.block, self.pads, strict=True), 1):
            if (x.shape[axis] + sum(pair)) % each:
                raise ValueError(f"Dimension {axis} with its pads must be a multiple of the {each} "
                                 f"elements of a block, not {x.shape[axis] + sum(pair)}")


@dataclass(frozen=True)
class BatchToSpaceNd(_Batches):
    """BATCH_TO_SPACE_ND: images become the rows and columns in blocks, INT8 or INT16.

    Source: tensorflow/lite/kernels/internal/reference/batch_to_space_nd.h.

    Parameters
    ----------
    block : tuple of int, block size along the dimensions between the first and the last
    crops : tuple of (before, behind), elements cut off, for each of these dimensions
    out : output Quantisation; None for the input's
    images : int, output image count; None for the count that the input fills; missing
        elements are 0
    """

    block:  tuple[int, ...]
    crops:  tuple[tuple[int, ...], ...]
    out:    Quantisation | None = None
    images: int | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        images, *sizes, depth = x_shape
        count = len(sizes)
        order = [count, *(axis for index in range(count) for axis in (count + 1 + index, index)),
                 2 * count + 1]
        made  = (self.images or images // prod(self.block)) * prod(self.block)
        whole = np.full((made, *sizes, depth), -1)
        whole[:images] = _number(x_shape)
        whole = whole.reshape(*self.block, made // prod(self.block), *sizes, depth)
        whole = whole.transpose(order).reshape(-1, *(
            size * each for size, each in zip(sizes, self.block, strict=True)), depth)
        return whole[(slice(None), *(slice(first, size - last) for size, (first, last) in zip(
            whole.shape[1:-1], self.crops, strict=True)))]

    def _check_place(self, x):
        self._check_batches(x, "crops")
        if self.images is not None:
            check_ints("images", (self.images,), 1)
            least = -(-x.shape[0] // prod(self.block))
            if self.images < least:
                raise ValueError(f"images must be at least {least}, not {self.images}")
        elif x.shape[0] % prod(self.block):
            raise ValueError(f"Images must be a multiple of the {prod(self.block)} of a block, "
                             f"not {x.shape[0]}")
        for axis, (each, pair) in enumerate(zip(self.block, self.crops, strict=True), 1):
            if sum(pair) >= x.shape[axis] * each:
                raise ValueError(f"crops of dimension {axis} must leave one of the "
                                 f"{x.shape[axis] * each} elements, not take {sum(pair)}")

# SPDX-License-Identifier: Apache-2.0
"""Shapes for images, kernels, windows, matrices and flat tensors, for all libraries."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["Shapes", "draw_flat", "draw_matrix", "draw_shapes"]

_SIZES    = (1, 2, 3, 4, 5, 7, 8, 9, 12)
_CHANNELS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17)
_KERNELS  = (1, 2, 3, 5)
_STRIDES  = (1, 2, 3)
_PADS     = (0, 1, 2)
_WORDS    = (4, 8, 16, 20, 32, 36)  #: Channel counts that fill 4-byte words.


@dataclass(frozen=True)
class Shapes:
    """Convolution or pooling layer geometry.

    Parameters
    ----------
    height, width, channels, outputs : int
    kernel, stride, dilation : (rows, columns)
    pad : (top, bottom, left, right)
    is_same : bool, whether padding is "SAME"
    """

    height:   int
    width:    int
    channels: int
    outputs:  int
    kernel:   tuple
    stride:   tuple
    pad:      tuple = (0, 0, 0, 0)
    dilation: tuple = (1, 1)
    is_same:  bool = False

    @property
    def windows(self) -> tuple[int, ...]:
        """The output's (rows, columns)."""
        sizes = (self.height + sum(self.pad[:2]), self.width + sum(self.pad[2:]))
        return tuple((size - (taps - 1) * apart - 1) // step + 1 for size, taps, apart, step in zip(
            sizes, self.kernel, self.dilation, self.stride, strict=True))


def draw_shapes(draw: Draw, *, padding: str = "pad", dilations: Sequence[int] = (1,),
                words: bool = False, outputs: bool = True) -> Shapes:
    """Random Shapes for a case.

    Parameters
    ----------
    draw : Draw
    padding : "pad" for elements on each side, "same" for the TensorFlow Lite paddings
    dilations : candidates of the larger direction; the other direction has 1 or the same number
    words : bool, whether channels fill whole 4-byte words
    outputs : bool, whether the output channel count is independent
    """
    if draw.way:
        return _draw_long(draw, padding, words, outputs)
    height, width = (draw.pick(name, _SIZES) for name in ("height", "width"))
    channels = _WORDS if words else _CHANNELS
    inputs   = draw.pick("channels", channels)
    made     = draw.pick("outputs", channels) if outputs else inputs
    dilation = _draw_dilation(draw, dilations)
    stride   = tuple(draw.pick(f"stride_{name}", _STRIDES) for name in ("height", "width"))
    most     = draw.pick("padding", _PADS) if padding == "pad" else 0
    is_same  = padding == "same" and draw.pick("padding", (0, 1, 2)) > 0
    kernel, pad = [], []
    for name, size, apart in zip(("height", "width"), (height, width), dilation, strict=True):
        room = size if not is_same else 99
        taps = draw.pick(f"kernel_{name}", _KERNELS, where=lambda taps, room=room, apart=apart: (
            taps > most and (taps - 1) * apart < room))
        kernel.append(taps)
        pad += [int(draw.integers(0, most)), most] if most else [0, 0]
    return Shapes(height, width, inputs, made, tuple(kernel), stride, tuple(pad), dilation,
                  is_same)


def _draw_dilation(draw, candidates):
    """Dilation (rows, columns), the larger direction from the candidates."""
    larger = draw.pick("dilation", candidates)
    if len(candidates) == 1 or larger == 1:
        return larger, larger
    sizes  = (1, larger)
    height = draw.pick("dilation_height", sizes)
    width  = draw.pick("dilation_width", sizes, where=lambda each: max(height, each) == larger)
    return height, width


def _draw_long(draw, padding, words, outputs):
    """Shapes with as many products in a sum as the Draw's way wants: along the channels if the
    outputs are independent, else along the image.
    """
    wanted = draw.products
    unit   = _WORDS[0] if words else 1
    side   = 1 if outputs else isqrt(wanted)
    kernel = [draw.near("kernel_height", side)]
    kernel.append(draw.near("kernel_width", side if outputs else wanted // kernel[0]))
    taps   = max(wanted // (kernel[0] * kernel[1]), 1) if outputs else 1
    inputs = draw.near("channels", max(taps // unit * unit, unit) if outputs else
                       _made(draw, words))
    made   = draw.near("outputs", _made(draw, words)) if outputs else inputs
    height, width = (draw.near(name, size, size) for name, size in zip(
        ("height", "width"), kernel, strict=True))
    stride = tuple(draw.near(f"stride_{name}", 1) for name in ("height", "width"))
    most = draw.near("padding", 0, 0)
    return Shapes(height, width, inputs, made, tuple(kernel), stride,
                  (most if padding == "pad" else 0,) * 4, (draw.near("dilation", 1),) * 2,
                  padding == "same" and most > 0)


def _made(draw, words):
    """Outputs of a case with a way: 1 for long sums, else several with biases of their own."""
    if draw.way.startswith("far"):
        return _WORDS[0] if words else 1
    return _WORDS[2] if words else 17


def draw_matrix(draw: Draw) -> tuple[int, int]:
    """(inputs, outputs) for a fully connected layer."""
    if draw.way:
        return draw.near("channels", draw.products), draw.near("outputs", _made(draw, False))
    return (draw.pick("channels", (1, 2, 3, 8, 15, 16, 33, 64)),
            draw.pick("outputs", (1, 2, 3, 4, 10, 16, 17)))


def draw_flat(draw: Draw) -> tuple[int, ...]:
    """Tensor shape for element-wise operations."""
    return draw.pick("height", (1, 2, 5)), draw.pick("channels", (1, 3, 8, 17, 64))

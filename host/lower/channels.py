# SPDX-License-Identifier: Apache-2.0
"""Passes over the image pixels, a channel in every lane."""

from xymac.hdl.isa import BANKS, Pass, Shape, Width
from xymac.host.memory.packing import width_of

from .groups import split_outputs, strides

__all__ = ["over_channels"]


def over_channels(operands, target, pixels, **fields):
    """Passes writing ``target``, a TensorLayout whose runs are a pixel's channels each.

    Parameters
    ----------
    operands : dict with ``x``, a 16-bit layout with as many pixels, ``y``, Access to 16-bit words,
        and optionally ``taps`` and ``x_taps``, loops over them and X strides
    pixels : int
    fields : pass fields; records are per channel
    """
    source = operands["x"]
    outer  = (-(-target.pitch // BANKS), 1, pixels)
    whole  = Pass(outer=outer, taps=operands.get("taps", (1, 1, 1)), y=operands["y"],
                  x=source.access(strides(outer, BANKS, 0, source.pitch),
                                  operands.get("x_taps", (0, 0, 0))),
                  z=target.access(strides(outer, BANKS, 0, target.pitch)),
                  x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
                  y_width=Width.BITS16, z_width=width_of(target.bits), **fields)
    return split_outputs(whole, target)

# SPDX-License-Identifier: Apache-2.0
"""Layers with windows on an image, cut into output row or column tiles."""

from dataclasses import replace

from xymac.host.ir.tile import Tile, along, cut_evenly

__all__ = ["cut_bands", "cut_spread_bands"]


def cut_bands(layer, order, x, output, count):
    """Tiles along a layer's output rows, or along its columns if it has a single row.

    None if there are fewer than ``count``. A layer defines its windows by ``window``, or else by
    ``kernel``, ``stride`` and ``pad``; a layer without any has a window per element.

    Parameters
    ----------
    layer : golden layer
    order : tuple of int, image and output dimensions: rows, columns, channels
    x, output : Tensors in the input format and the output
    count : int
    """
    down  = 0 if output.shape[order[0]] > 1 else 1
    axis  = order[down]
    bands = cut_evenly(output.shape[axis], count)
    if bands is None:
        return None
    size   = x.shape[axis]
    start, step, reach = _find_windows(layer, down)
    tiles = []
    for first, end in bands:
        begin = start + first * step
        stop  = start + (end - 1) * step + reach
        low   = min(max(begin, 0), size - 1)  # at least an element, even if no window has it
        high  = max(min(stop, size), low + 1)
        part  = layer
        if hasattr(layer, "window"):
            window = replace(layer.window, start=_replace(layer.window.start, down, begin - low),
                             out=_replace(layer.window.out, down, end - first))
            part   = replace(layer, window=window)
        elif hasattr(layer, "pad"):
            sides = max(-begin, 0), max(stop - size, 0)
            part  = replace(layer, pad=_replace(layer.pad, 2 * down, *sides))
        tiles.append(Tile(part, (along(x.shape, axis, low, high),),
                          along(output.shape, axis, first, end)))
    return tiles


def cut_spread_bands(layer, x, output, count):
    """Transposed convolution tiles along output rows or columns, the longer axis.

    None if there are fewer than ``count``, or if the stride exceeds the kernel: some output
    elements may then depend on no input element. Parameters as in ``cut_bands``.
    """
    axis  = int(output.shape[1] > output.shape[0])
    step, reach, before = layer.stride[axis], layer.weights.shape[axis], layer.pad[2 * axis]
    bands = cut_evenly(output.shape[axis], count)
    if bands is None or step > reach:
        return None
    tiles = []
    for first, end in bands:
        low  = max(-(-(first + before - reach + 1) // step), 0)
        high = min((end - 1 + before) // step, x.shape[axis] - 1)
        pad  = first + before - low * step, high * step + reach - before - end
        tiles.append(Tile(replace(layer, pad=_replace(layer.pad, 2 * axis, *pad)),
                          (along(x.shape, axis, low, high + 1),),
                          along(output.shape, axis, first, end)))
    return tiles


def _find_windows(layer, down):
    """First element, step and size of the windows along rows or columns."""
    if hasattr(layer, "window"):
        return layer.window.start[down], layer.window.stride[down], layer.kernel[down]
    if hasattr(layer, "pad"):
        return -layer.pad[2 * down], layer.stride[down], layer.kernel[down]
    return 0, 1, 1


def _replace(values, place, *others):
    return (*values[:place], *others, *values[place + len(others):])

# SPDX-License-Identifier: Apache-2.0
"""Elements in memory words: memory rows, and weights and biases in lane order."""

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Width, bias_rows

__all__ = ["from_cells", "pack_bias", "pack_lanes", "pack_once", "pack_records", "pack_vectors",
           "pad_end", "to_cells", "vector_words", "width_of"]


def pad_end(values, axis, count):
    """An array with ``count`` zeros behind its elements along ``axis``."""
    if not count:
        return values
    padded = np.zeros([size + count * (place == axis) for place, size in enumerate(values.shape)],
                      values.dtype)
    padded[tuple(map(slice, values.shape))] = values
    return padded


def width_of(bits):
    """Width code for an 8-bit or 16-bit element."""
    return {8: Width.BITS8, 16: Width.BITS16}[bits]


def to_cells(elements, bits, row_cells):
    """Words (uint16, whole rows with ``row_cells`` words) that hold elements in address order.

    Zeros fill the last row.
    """
    row = row_cells * CELL_BITS // bits
    padded = np.zeros(-(-elements.size // row) * row, elements.dtype)
    padded[:elements.size] = elements.ravel()
    if bits == CELL_BITS:
        return padded.view(np.uint16)
    low, high = padded.view(np.uint8).reshape(-1, 2, row_cells).astype(np.uint16).swapaxes(0, 1)
    return (low | high << 8).ravel()


def from_cells(cells, bits, row_cells):
    """Signed elements from whole word rows: the inverse of ``to_cells``."""
    if bits == CELL_BITS:
        return cells.astype(np.uint16).view(np.int16)
    rows = cells.astype(np.uint16).reshape(-1, row_cells)
    return np.stack([rows & 0xFF, rows >> 8], axis=1).astype(np.uint8).view(np.int8).ravel()


def pack_vectors(weights, ways):
    """Words for weights [outputs, taps, inputs] in weight vectors of ``ways * lanes`` elements.

    Vector ``(a * taps + tap) * groups + k`` holds, for MAC ``i`` of lane ``l``, the weight between
    output ``a * lanes + l`` and input ``k * ways + i``, or 0 beyond the weights.
    """
    return to_cells(vector_words(weights, ways), 8 * weights.itemsize, ways * BANKS * ways)


def vector_words(weights, ways):
    """Elements of the ``pack_vectors`` weight vectors, concatenated."""
    outputs, taps, inputs = weights.shape
    lanes   = BANKS * ways
    padded  = pad_end(pad_end(weights, 0, -outputs % lanes), 2, -inputs % ways)
    words   = padded.reshape(-1, lanes, taps, padded.shape[2] // ways, ways)
    return words.transpose(0, 2, 3, 4, 1).ravel()


def pack_lanes(weights, ways):
    """Words for weights [channels, taps] with a single weight per lane.

    Address ``a * taps + tap``, lane ``l`` holds the weight for channel ``a * lanes + l``, or 0
    beyond the weights.
    """
    channels, taps = weights.shape
    lanes  = BANKS * ways
    padded = np.pad(weights, ((0, -channels % lanes), (0, 0)))
    return to_cells(padded.reshape(-1, lanes, taps).swapaxes(1, 2), 8 * weights.itemsize,
                    ways * lanes)


def pack_bias(bias, ways):
    """Words for biases [outputs], int64 within 48 bits; see ``xymac.hdl.isa.Pass.bias_row``."""
    lanes  = BANKS * ways
    padded = np.pad(bias, (0, -len(bias) % lanes)).reshape(-1, 1, lanes)
    places = bias_rows(ways) * ways
    shifts = np.minimum(np.arange(places) * CELL_BITS, 63)[:, None]
    cells  = (padded >> shifts & 0xFFFF).astype(np.uint16)
    return cells.reshape(len(padded), bias_rows(ways), ways, lanes)[:, ::-1].ravel()


def pack_records(records, ways):
    """Words for several parameter sets [outputs], with an output vector's parameters adjacent."""
    groups = [pack_bias(record, ways).reshape(-1, bias_rows(ways) * BANKS * ways * ways)
              for record in records]
    return np.stack(groups, axis=1).ravel()


def pack_once(records, ways):
    """``pack_records`` for a pass whose output vectors all use the first vector's parameters."""
    lanes = BANKS * ways
    first = [record[:lanes] for record in records]
    return np.concatenate([pack_records(first, ways), pack_bias(records[-1][lanes:], ways)])

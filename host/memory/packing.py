"""Elements in cells: rows of a memory, and weights and biases as the lanes read them."""

import numpy as np

from hdl.isa import BANKS, CELL_BITS, Width, bias_rows

__all__ = ["from_cells", "pack_bias", "pack_lanes", "pack_once", "pack_records", "pack_vectors",
           "to_cells", "vector_words", "width_of"]


def width_of(bits):
    """Width of an element of 8 or 16 bits."""
    return {8: Width.BITS8, 16: Width.BITS16}[bits]


def to_cells(elements, bits, row_cells):
    """Cells (uint16, whole rows of ``row_cells``) that hold elements in the order of addresses.

    The last row is filled with zeros.
    """
    row = row_cells * CELL_BITS // bits
    padded = np.zeros(-(-elements.size // row) * row, elements.dtype)
    padded[:elements.size] = elements.ravel()
    if bits == CELL_BITS:
        return padded.view(np.uint16)
    low, high = padded.view(np.uint8).reshape(-1, 2, row_cells).astype(np.uint16).swapaxes(0, 1)
    return (low | high << 8).ravel()


def from_cells(cells, bits, row_cells):
    """Elements, signed, that whole rows of cells hold: the inverse of ``to_cells``."""
    if bits == CELL_BITS:
        return cells.astype(np.uint16).view(np.int16)
    rows = cells.astype(np.uint16).reshape(-1, row_cells)
    return np.stack([rows & 0xFF, rows >> 8], axis=1).astype(np.uint8).view(np.int8).ravel()


def pack_vectors(weights, ways):
    """Cells of weights [outputs, taps, inputs] in words of ``ways * lanes`` elements.

    Word ``(a * taps + tap) * groups + k`` holds, for way ``i`` and lane ``l``, the weight of output
    ``a * lanes + l`` and input ``k * ways + i``; 0 where there is none.
    """
    return to_cells(vector_words(weights, ways), 8 * weights.itemsize, ways * BANKS * ways)


def vector_words(weights, ways):
    """The words of ``pack_vectors`` one after the other."""
    outputs, taps, inputs = weights.shape
    lanes   = BANKS * ways
    padded  = np.pad(weights, ((0, -outputs % lanes), (0, 0), (0, -inputs % ways)))
    words   = padded.reshape(-1, lanes, taps, padded.shape[2] // ways, ways)
    return words.transpose(0, 2, 3, 4, 1).ravel()


def pack_lanes(weights, ways):
    """Cells of weights [channels, taps], one a lane: address ``a * taps + tap``, lane ``l`` holds
    the weight of channel ``a * lanes + l``; 0 where there is none."""
    channels, taps = weights.shape
    lanes  = BANKS * ways
    padded = np.pad(weights, ((0, -channels % lanes), (0, 0)))
    return to_cells(padded.reshape(-1, lanes, taps).swapaxes(1, 2), 8 * weights.itemsize,
                    ways * lanes)


def pack_bias(bias, ways):
    """Cells of biases [outputs], int64 within 48 bits, as ``hdl.isa.Pass.bias_row`` describes."""
    lanes  = BANKS * ways
    padded = np.pad(bias, (0, -len(bias) % lanes)).reshape(-1, 1, lanes)
    places = bias_rows(ways) * ways
    shifts = np.minimum(np.arange(places) * CELL_BITS, 63)[:, None]
    cells  = (padded >> shifts & 0xFFFF).astype(np.uint16)
    return cells.reshape(len(padded), bias_rows(ways), ways, lanes)[:, ::-1].ravel()


def pack_records(records, ways):
    """Cells of several records of parameters [outputs], those of each group of outputs together."""
    groups = [pack_bias(record, ways).reshape(-1, bias_rows(ways) * BANKS * ways * ways)
              for record in records]
    return np.stack(groups, axis=1).ravel()


def pack_once(records, ways):
    """The same of one pass whose groups of outputs have the parameters of the first one."""
    lanes = BANKS * ways
    first = [record[:lanes] for record in records]
    return np.concatenate([pack_records(first, ways), pack_bias(records[-1][lanes:], ways)])

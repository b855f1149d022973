"""How tensors lie in the memories: activations in X, weights and biases in Y."""

from dataclasses import dataclass

import numpy as np

from golden.layer import Layout
from hdl.config import BANKS, CELL_BITS
from hdl.isa import Access, Width, bias_rows

__all__ = ["Image", "from_cells", "pack_bias", "pack_lanes", "pack_vectors", "to_cells",
           "width_of"]


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


@dataclass(frozen=True)
class Image:
    """An activation in X: pixel by pixel, the channels of a pixel padded to whole groups.

    Channel ``c`` of pixel ``p`` lies in group ``base + p * pitch + c // ways``.

    Parameters
    ----------
    rows, cols, channels : int
    bits : int, 8 or 16
    layout : Layout of the tensor at the user's side, None for one that is flattened
    shape : shape of that tensor
    ways : int, elements of a group
    x_row : int, first row of X memory
    """

    rows:     int
    cols:     int
    channels: int
    bits:     int
    layout:   Layout | None
    shape:    tuple
    ways:     int
    x_row:    int = 0

    @classmethod
    def of(cls, shape, layout, bits, ways):
        """Place a tensor of ``shape``; without a layout it is one pixel of all elements."""
        rows, cols, channels = {
            Layout.CHW: lambda: (*shape[1:], shape[0]), Layout.HWC: lambda: shape,
            None: lambda: (1, 1, int(np.prod(shape)))}[layout]()
        return cls(rows, cols, channels, bits, layout, tuple(shape), ways)

    @property
    def pitch(self):
        """Groups from one pixel to the next."""
        return -(-self.channels // self.ways)

    @property
    def groups(self):
        """Groups of the whole image."""
        return self.rows * self.cols * self.pitch

    @property
    def x_rows(self):
        """Rows of X memory, the last one perhaps not full."""
        return -(-self.groups // self._row_groups)

    @property
    def base(self):
        """First group."""
        return self.x_row * self._row_groups

    @property
    def _row_groups(self):
        return BANKS * CELL_BITS // self.bits

    def access(self, outer, taps=(0, 0, 0), offset=0):
        """Access with the image as its window, from ``offset`` groups behind its base."""
        return Access(base=self.base + offset, low=self.base, high=self.base + self.groups - 1,
                      outer=outer, taps=taps)

    def cells(self, data):
        """Cells of the rows of X that hold the user's array ``data``."""
        return to_cells(self._pad(data), self.bits, BANKS * self.ways)

    def data(self, cells):
        """The user's array that the rows of X in ``cells`` hold."""
        elements = from_cells(cells, self.bits, BANKS * self.ways)[:self.groups * self.ways]
        pixels = elements.reshape(self.rows, self.cols, -1)[..., :self.channels]
        if self.layout is Layout.CHW:
            pixels = pixels.transpose(2, 0, 1)
        return np.ascontiguousarray(pixels.reshape(self.shape))

    def order(self):
        """Index into the flattened user's array of every element in X, -1 for padding."""
        return self._pad(np.arange(int(np.prod(self.shape))).reshape(self.shape), fill=-1).ravel()

    def _pad(self, data, fill=0):
        pixels = data.transpose(1, 2, 0) if self.layout is Layout.CHW else data
        pixels = pixels.reshape(self.rows, self.cols, self.channels)
        extra  = self.pitch * self.ways - self.channels
        return np.pad(pixels, ((0, 0), (0, 0), (0, extra)), constant_values=fill)


def pack_vectors(weights, ways):
    """Cells of weights [outputs, taps, inputs] in words of ``ways * lanes`` elements.

    Word ``(a * taps + tap) * groups + k`` holds, for way ``i`` and lane ``l``, the weight of output
    ``a * lanes + l`` and input ``k * ways + i``; 0 where there is none.
    """
    outputs, taps, inputs = weights.shape
    lanes   = BANKS * ways
    padded  = np.pad(weights, ((0, -outputs % lanes), (0, 0), (0, -inputs % ways)))
    words   = padded.reshape(-1, lanes, taps, padded.shape[2] // ways, ways)
    return to_cells(words.transpose(0, 2, 3, 4, 1), 8 * weights.itemsize, ways * lanes)


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
    return cells.reshape(len(padded), -1, ways, lanes)[:, ::-1].ravel()

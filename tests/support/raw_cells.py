# SPDX-License-Identifier: Apache-2.0
"""Elements by their addresses in X, as the bus shows the cells; see ``xymac.hdl.isa.passes``."""

import numpy as np

from xymac.hdl.isa import Memory

__all__ = ["elements_at", "read_bytes", "write_bytes"]


def elements_at(cells, config, count, bytes_):
    """``count`` elements of so many bytes by their addresses, as the bus shows the cells."""
    for element in range(count):
        index, lane = divmod(element, config.lanes)
        if bytes_ == 2:
            yield int(cells[index * config.lanes + lane])
        else:
            yield int(cells[index // 2 * config.lanes + lane]) >> 8 * (index % 2) & 0xFF


def read_bytes(device, row, count, bytes_):
    """Bytes of ``count`` elements that lie in X from a row on."""
    config = device.config
    rows   = -(-count * bytes_ // (2 * config.lanes))
    cells  = device.read_cells(Memory.X, row * config.lanes, rows * config.lanes)
    return b"".join(value.to_bytes(bytes_, "little")
                    for value in elements_at(cells, config, count, bytes_))


def write_bytes(device, row, data, bytes_):
    """Write ``data``, the bytes of elements, to X from a row on, cell by cell."""
    config = device.config
    cells  = np.zeros(-(-len(data) // (2 * config.lanes)) * config.lanes, np.uint16)
    for element in range(len(data) // bytes_):
        index, lane = divmod(element, config.lanes)
        value = int.from_bytes(data[element * bytes_:(element + 1) * bytes_], "little")
        row_of, shift = (index, 0) if bytes_ == 2 else (index // 2, 8 * (index % 2))
        cells[row_of * config.lanes + lane] |= value << shift
    device.write_cells(Memory.X, row * config.lanes, cells)

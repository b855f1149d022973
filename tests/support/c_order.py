# SPDX-License-Identifier: Apache-2.0
"""Cells of X that are what the user's arrays are, byte by byte."""

import numpy as np

from xymac.hdl.isa import Memory

__all__ = ["assert_cells_are_arrays"]


def assert_cells_are_arrays(device, plan, inputs, expected):
    """Run a ``Plan`` with ``c_order``: a bus shows the bytes of the inputs, from the first row on,
    and in the end those of ``expected``, the user's array of the output."""
    plan.load(device)
    for x, layout in zip(inputs, plan.sources, strict=True):
        assert layout.memory is Memory.X
        device.write_cells(Memory.X, layout.row * layout.row_cells, layout.cells(x.data))
        assert _bytes_of(layout, device, x.data) == x.data.tobytes()
    plan.run(device, *inputs)
    left = _bytes_of(plan.target, device, expected)
    assert left == expected.tobytes(), f"{np.frombuffer(left, expected.dtype)}, not {expected}"


def _bytes_of(layout, device, data):
    """As many bytes as ``data`` has, from the first row of ``layout`` on, as a bus shows them."""
    cells = device.read_cells(layout.memory, layout.row * layout.row_cells, -(-data.nbytes // 2))
    return cells.astype("<u2").tobytes()[:data.nbytes]

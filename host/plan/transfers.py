# SPDX-License-Identifier: Apache-2.0
"""Tensors on their way to the memories of a device and back."""

from dataclasses import replace

__all__ = ["read_tensor", "write_tensor"]


def write_tensor(device, layout, x):
    """Write a Tensor to where ``layout`` says."""
    device.write_cells(layout.memory, layout.row * layout.row_cells,
                       layout.cells(x.data))


def read_tensor(device, layout, like):
    """Read the Tensor that lies at ``layout``, in the format and type of ``like``, whose shape has
    the same elements in C order."""
    cells = device.read_cells(layout.memory, layout.row * layout.row_cells,
                              layout.rows * layout.row_cells)
    return replace(like, data=layout.data(cells).astype(like.data.dtype).reshape(like.shape))

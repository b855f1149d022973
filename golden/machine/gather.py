# SPDX-License-Identifier: Apache-2.0
"""Gather passes: a single step sequence over all loops; every ``lanes`` steps form an output."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .address import map_addresses, offsets, tap_indices
from .steps import first_fault

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

    from .steps import Fault

__all__ = ["count_sums", "gather_steps", "gather_sums"]


def count_sums(pass_: Pass, lanes: int) -> int:
    """Output count in a gather pass, up to and including the first output beyond the Z window."""
    room = (pass_.epilogue.z.high - pass_.epilogue.z.low) // pass_.epilogue.beats + 2
    return min(-(-math.prod((*pass_.loop.outer, *pass_.loop.taps)) // lanes), room)


def gather_sums(pass_: Pass, chunk: np.ndarray, x: np.ndarray, y: np.ndarray,
                x_start: int) -> tuple[Fault | None, np.ndarray, np.ndarray]:
    """Exact accumulators for consecutive outputs in a gather pass.

    Parameters
    ----------
    chunk : int64 [outputs], consecutive output indices
    x : X elements [addresses]; the first element starts a row and has address ``x_start``
    y : Y window weights [addresses, ways, lanes]

    Returns the first fault or None; accumulators, int64 [outputs, lanes]; and Z vector addresses
    [outputs, beats], -1 where an output has fewer vectors. Outputs after a fault are cut off.
    """
    _, ways, lanes = y.shape
    valid, x_at, x_bad = (part.reshape(len(chunk), lanes) for part in gather_steps(
        pass_, np.arange(chunk[0] * lanes, (chunk[-1] + 1) * lanes)))
    groups      = pass_.epilogue.beats * chunk[:, None] + np.arange(pass_.epilogue.beats)
    z_at, z_bad = map_addresses(pass_.epilogue.z, (0, 0 * chunk, 0 * chunk), groups, 1)
    used  = valid[:, ::ways]
    fault = first_fault(valid, False, x_bad, None, used & (False if z_bad is None else z_bad))
    kept  = len(chunk) if fault is None else fault.output + (fault.beat > 0)
    group, way = np.divmod(np.maximum(x_at[:kept] - x_start, 0), ways)
    operands   = x.reshape(-1, ways)[group].astype(np.int64) * valid[:kept, :, None]
    weights    = y[np.arange(lanes) * ways + way].astype(np.int64)
    sums       = np.einsum("osw,oswl->ol", operands, weights)
    return fault, sums, np.where(used, z_at, -1)[:kept]


def gather_steps(pass_: Pass, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X accesses for the step numbers ``steps``, counted from the start of the pass.

    Returns three arrays shaped like ``steps``: whether the step exists, its X address, and whether
    that address lies outside the window.
    """
    valid = steps < math.prod((*pass_.loop.outer, *pass_.loop.taps))
    origin, tap = np.divmod(np.where(valid, steps, 0), math.prod(pass_.loop.taps))
    rest,   c   = np.divmod(origin, pass_.loop.outer[2])
    a,      b   = np.divmod(rest, pass_.loop.outer[1])
    inner = offsets(pass_.operands.x.taps, tap_indices(pass_.loop.taps)[:, tap])
    x_at, x_bad = map_addresses(pass_.operands.x, (a, b, c), inner[:, None], 1)
    return valid, x_at, np.zeros(x_at.shape, bool) if x_bad is None else x_bad

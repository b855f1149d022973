# SPDX-License-Identifier: Apache-2.0
"""Refusal of passes that read their own results."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import Count, Op

from .accesses import indices_of, meet, reads_of, record_reads, spans_read, written_by
from .address import valid_taps
from .gather import count_sums
from .outcome import ProgramError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xymac.hdl.isa import Pass

    from .machine import Machine
    from .window import Window

__all__ = ["refuse_own_results"]

CHUNK = 1 << 17  #: Steps compared at once; bounds the working memory.
NEVER = 1 << 62  #: Writer number for unwritten bytes.


def refuse_own_results(index: int, pass_: Pass, windows: Mapping[Count, Window],
                       machine: Machine) -> None:
    """ProgramError if an output of pass ``index`` reads a byte written by an earlier output.

    An output may overwrite its own operands and operands of earlier outputs: the core writes an
    output after its last step. Outputs after the first fault read nothing.
    """
    target = windows[Count.Z]
    if pass_.accumulate.hold or not meet(spans_read(pass_, windows, machine), [target.span]):
        return
    writers = np.full(2 * target.cells.size, NEVER)
    for outputs, valid in _chunks(pass_, machine):
        reads = [*reads_of(pass_, windows, outputs, valid),
                 *record_reads(pass_, outputs, machine)]
        at, outside = written_by(pass_, outputs)
        faults = ~valid.any(1) | np.any([read.bad.any(1) for read in reads], axis=0)
        if outside is not None:
            faults |= outside.any(1)
        kept = int(faults.argmax()) + 1 if faults.any() else outputs.size
        np.minimum.at(writers, target.bytes_of(at[:kept].ravel(), 1),
                      outputs[:kept].repeat(at.shape[1])[:, None])
        for read in reads:
            if read.window.memory is target.memory:
                _compare(index, read, writers, outputs, kept)
        if kept < outputs.size:
            return


def _chunks(pass_, machine):
    """Numbers of the outputs to compare at once, in program order, and their valid steps."""
    gather = pass_.accumulate.op is Op.GATHER
    total  = prod((*pass_.loop.outer, *pass_.loop.taps))
    steps  = machine.lanes if gather else prod(pass_.loop.taps)
    count  = count_sums(pass_, machine.lanes) if gather else prod(pass_.loop.outer)
    size   = max(1, CHUNK // steps)
    for start in range(0, count, size):
        outputs = np.arange(start, min(start + size, count))
        if gather:
            yield outputs, outputs[:, None] * steps + np.arange(steps) < total
        else:
            yield outputs, valid_taps(pass_, *indices_of(pass_, outputs)[1:])


def _compare(index, read, writers, outputs, kept):
    """Raise ProgramError if any of the first ``kept`` outputs reads an earlier output's result."""
    readers = np.broadcast_to(outputs[:, None], read.good.shape)[read.good][:, None]
    early   = (writers[read.bytes_read()] < readers) & (readers <= outputs[kept - 1])
    if early.any():
        output = int(readers[early.any(1)].min())
        raise ProgramError(f"Pass {index} reads its own results: an output before output {output} "
                           f"writes the {read.name} operands of output {output}")

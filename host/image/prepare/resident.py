# SPDX-License-Identifier: Apache-2.0
"""Constants that need no transfer in every run: no program reads them, or they are still in
place."""

import numpy as np

from xymac.hdl.isa import Opcode, Region
from xymac.host.image.entries import RunEntry

__all__ = ["keep_tables"]

_TABLES = Region.TABLES, Region.PLACES
_ROUNDS = 2  # runs after which each further run finds the same contents


def keep_tables(load, run, space, content):
    """(Load entries, run entries) without a run's unnecessary table transfers.

    A layer's table may replace a core table, which the run's steps restore. Unless a program reads
    the restored table, the restoration is not needed, and the layer's table then stays.

    Parameters
    ----------
    load, run : lists of Move and RunEntry in step order
    space : Space
    content : uint8 array, the image constants
    """
    read  = _drop_unread(run, space)
    stays = _find_present(load, read, space, content)
    return ([*load, *(entry for entry, here in zip(read, stays, strict=True) if here)],
            [entry for entry, here in zip(read, stays, strict=True) if not here])


def _is_table(entry):
    return not isinstance(entry, RunEntry) and entry.region in _TABLES


def _drop_unread(run, space):
    """The run entries without transfers for tables that no program reads before the next
    transfer."""
    live = np.zeros(space.size, bool)
    for _ in range(_ROUNDS):
        kept = []
        for entry in reversed(run):
            if isinstance(entry, RunEntry):
                for words in entry.reads:
                    live[words] = True
            elif _is_table(entry):
                words = space.rows_of_move(entry)
                if not live[words].any():
                    continue
                live[words] = False
            kept.append(entry)
    return kept[::-1]


def _find_present(load, run, space, content):
    """For each run entry whether it writes tables unchanged since an earlier run."""
    held = np.full(space.size, -1, np.int32)  # -1: anything
    for entry in filter(_is_table, load):
        held[space.rows_of_move(entry)] = _words(entry, content)
    for _ in range(_ROUNDS):
        present = []
        for entry in run:
            here = False
            if _is_table(entry):
                words, new = space.rows_of_move(entry), _words(entry, content)
                here = np.array_equal(held[words], new)
                held[words] = new
            present.append(here)
    return present


def _words(move, content):
    """Words of a single-row LOAD."""
    if move.opcode is not Opcode.LOAD or move.rows != 1:
        raise ValueError(f"Tables must come in a row, not by {move}")
    return content[move.external:move.external + move.size].view("<u2").astype(np.int32)

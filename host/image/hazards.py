# SPDX-License-Identifier: Apache-2.0
"""Order constraints between list entries, from the words touched by each entry."""

import numpy as np

from xymac.hdl.isa import Opcode

from .entries import RunEntry

__all__ = ["find_needs"]

_NONE = -1


def find_needs(entries, space, external):
    """Earlier entries (a set per entry, by index) that must end before an entry begins.

    An entry that writes a word follows all earlier readers and writers; an entry that reads a word
    follows its last writer. Two stores to the same word keep their order. Runs need not follow
    other runs: they never overlap.

    Parameters
    ----------
    entries : list of Move and RunEntry
    space : the core's Space
    external : int, image bytes
    """
    core   = _Words(space.size)
    memory = _Words(external)
    needs  = []
    for index, entry in enumerate(entries):
        found = set()
        if isinstance(entry, RunEntry):
            for part in entry.reads:
                found |= core.read(part, index, is_run=True)
            for part in entry.writes:
                found |= core.write(part, index)
            found = {other for other in found if not isinstance(entries[other], RunEntry)}
        else:
            words = space.rows_of_move(entry)
            if entry.opcode is Opcode.STORE:
                found |= core.read(words, index, is_run=False)
                found |= memory.write(_external(entry), index)
            else:
                found |= core.write(words, index)
            if entry.opcode is Opcode.LOAD:
                found |= memory.read(_external(entry), index, is_run=False)
        needs.append(found - {index})
    return needs


def _external(move):
    """Index range: image bytes touched by a Move."""
    if move.rows == 1 or move.stride == move.size:
        return slice(move.external, move.external + move.bytes)
    starts = move.external + move.stride * np.arange(move.rows)
    return (starts[:, None] + np.arange(move.size)).ravel()


class _Words:
    """Each word's last writer and last readers."""

    def __init__(self, size):
        self._writer, self._run, self._move = (np.full(size, _NONE, np.int32) for _ in range(3))

    def read(self, words, index, *, is_run):
        """Note a reader; returns its predecessors."""
        readers = self._run if is_run else self._move
        found   = _among(self._writer, words)
        if not is_run:
            found |= _among(readers, words)
        readers[words] = index
        return found

    def write(self, words, index):
        """Note a writer; returns its predecessors."""
        found = _among(self._writer, words) | _among(self._run, words) | _among(self._move, words)
        self._writer[words] = index
        self._run[words] = self._move[words] = _NONE
        return found


def _among(array, words):
    part = array[words]
    return {*np.unique(part).tolist()} - {_NONE}

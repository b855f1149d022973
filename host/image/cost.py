# SPDX-License-Identifier: Apache-2.0
"""Estimated cycles of transfers, to choose between places of a value."""

from xymac.hdl.isa import Opcode

__all__ = ["moving_cost"]

_BYTES   = 2   # bytes of external memory a cycle
_LOADED  = 4   # additional cycles of a row of a load apart from the row before
_STORED  = 8   # of each row of a store
_COMMAND = 24  # of a transfer


def moving_cost(moves):
    """Estimated cycles of Moves, as ints."""
    return sum(map(_cost, moves))


def _cost(move):
    rows = 0
    if move.rows > 1 and move.opcode is Opcode.STORE:
        rows = _STORED * move.rows
    elif move.rows > 1 and move.stride != move.size:
        rows = _LOADED * move.rows
    return _COMMAND + rows + max(move.bytes // _BYTES, move.rows)

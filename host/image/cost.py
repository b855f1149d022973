# SPDX-License-Identifier: Apache-2.0
"""Estimated cycles of transfers, to choose between places of a value."""

__all__ = ["moving_cost"]

_BYTES   = 2   # bytes of external memory a cycle
_ROW     = 6   # additional cycles of a row apart from the row before
_COMMAND = 24  # additional cycles of a transfer


def moving_cost(moves):
    """Estimated cycles of Moves, as ints."""
    return sum(_COMMAND + (0 if move.rows == 1 or move.stride == move.size else
                           _ROW * move.rows) + max(move.bytes // _BYTES, move.rows)
               for move in moves)

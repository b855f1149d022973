# SPDX-License-Identifier: Apache-2.0
"""Choice of the fastest move kind."""

from xymac.hdl.isa import Op

from .copy import CopyMove
from .gather import GatherMove
from .spread import SpreadMove

__all__ = ["choose_moves"]


def choose_moves(regions, *, core=None):
    """Moves, a list with one entry per region: the fastest kind with support for every region.

    ``core`` is a Capabilities; None stands for a core with all functions. A core with a single MAC
    per lane needs neither ``Op.SPREAD`` nor ``Op.GATHER``: its vectors are single elements.
    """
    others = [kind for kind, op in ((SpreadMove, Op.SPREAD), (GatherMove, Op.GATHER))
              if core is None or core.supports(op)]
    every  = [[kind(region) for region in regions] for kind in (CopyMove, *others)]
    return min([moves for moves in every if all([move.possible for move in moves])],
               key=lambda moves: sum([move.steps for move in moves]))

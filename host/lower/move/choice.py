"""The quickest way to move elements."""

from .copy import CopyMove
from .gather import GatherMove
from .spread import SpreadMove

__all__ = ["choose_moves"]


def choose_moves(regions, *, compact=False):
    """Moves of one kind, a list: of those that can move all ``regions`` the quickest.

    The compact core only copies; as its groups are single elements, copies can do it all.
    """
    others = [] if compact else [SpreadMove, GatherMove]
    kinds  = [kind for kind in (CopyMove, *others)
              if all(kind(region).possible for region in regions)]
    return min(([kind(region) for region in regions] for kind in kinds),
               key=lambda moves: sum(move.steps for move in moves))

"""The quickest way to move elements."""

from hdl.isa import Op

from .copy import CopyMove
from .gather import GatherMove
from .spread import SpreadMove

__all__ = ["choose_moves"]


def choose_moves(regions, *, core=None):
    """Moves of one kind, a list: of those that can move all ``regions`` the quickest.

    ``core`` is the Capabilities of the core, None for one with all functions. A core of one way
    needs neither ``Op.SPREAD`` nor ``Op.GATHER``: its vectors are single elements.
    """
    others = [kind for kind, op in ((SpreadMove, Op.SPREAD), (GatherMove, Op.GATHER))
              if core is None or core.supports(op)]
    kinds  = [kind for kind in (CopyMove, *others)
              if all(kind(region).possible for region in regions)]
    return min(([kind(region) for region in regions] for kind in kinds),
               key=lambda moves: sum(move.steps for move in moves))

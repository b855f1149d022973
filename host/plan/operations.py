"""Refusal of layers whose passes need a function that the core lacks."""

from hdl.isa import Op, Reduce
from host.ir.refuse import NoPassesError

__all__ = ["check_operations"]

_USES = {Op.GATHER: "puts single elements in another order",
         Op.SPREAD: "puts blocks of elements in another order",
         Op.CROSS: "gives every bank of lanes inputs of its own",
         Op.SHARE: "multiplies sums by the inverse of another",
         Op.SLIDE: "keeps the columns that lanes have read",
         Op.MAX: "keeps the largest product", Op.MIN: "keeps the smallest product",
         Reduce.RANK: "ranks elements", Reduce.POP: "takes off what is ranked",
         Reduce.RANGE: "finds both extremes of what is read"}


def check_operations(passes, node, config):
    """Raise NoPassesError unless a core of ``config`` has the operations of ``passes``, of a Node.
    """
    core = config.capabilities
    for pass_ in passes:
        if pass_.accumulate.op not in core.operations:
            raise NoPassesError(
                f"{node.title} needs the operation "
                f"{pass_.accumulate.op.name}, which {_USES[pass_.accumulate.op]}: size "
                f"{config.name} has only "
                f"{', '.join(op.name for op in Op if op in core.operations)}")
        if pass_.reduction.reduce not in core.reductions:
            raise NoPassesError(
                f"{node.title} needs the reduction "
                f"{pass_.reduction.reduce.name}, which {_USES[pass_.reduction.reduce]}: size "
                f"{config.name} has only "
                f"{', '.join(kind.name for kind in Reduce if kind in core.reductions)}")

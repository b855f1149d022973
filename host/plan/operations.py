"""What a core lacks: layers whose passes need it are refused by name."""

from hdl.isa import Op
from host.lower.refuse import NoPassesError

__all__ = ["check_operations"]

_USES = {Op.GATHER: "puts single elements in another order",
         Op.SPREAD: "puts blocks of elements in another order"}


def check_operations(passes, index, layer, config):
    """Raise NoPassesError unless a core of ``config`` has the operations of a layer's ``passes``.

    ``index`` is the number of the golden layer ``layer``.
    """
    for pass_ in passes:
        if pass_.op not in config.operations:
            raise NoPassesError(
                f"Layer {index} ({type(layer).__name__}) needs the operation {pass_.op.name}, "
                f"which {_USES[pass_.op]}: size {config.name} has only "
                f"{', '.join(op.name for op in Op if op in config.operations)}")

# SPDX-License-Identifier: Apache-2.0
"""Refuse layers whose passes need a function that the core lacks."""

from xymac.hdl.isa import OPERATIONS
from xymac.host.ir.refuse import NoPassesError

__all__ = ["check_operations"]


def check_operations(passes, node, config):
    """Raise NoPassesError unless the core has all operations in ``passes``, generated for a Node.
    """
    core = config.capabilities
    for pass_ in passes:
        for kind, code, known in (
                ("operation", pass_.accumulate.op, core.operations),
                ("reduction", pass_.reduction.reduce, core.reductions)):
            if code not in known:
                names = ", ".join(other.name for other in type(code) if other in known)
                raise NoPassesError(
                    f"{node.title} needs the {kind} {code.name}, which {OPERATIONS[code].effect}: "
                    f"size {config.name} has only {names}")

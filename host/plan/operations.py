# SPDX-License-Identifier: Apache-2.0
"""Refuse layers whose passes need a function that the core lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.hdl.isa import OPERATIONS
from xymac.host.errors import Refusal, RefusalKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

    from .graph import Node

__all__ = ["check_operations"]


def check_operations(passes: Sequence[Pass], node: Node, config: CoreConfig) -> None:
    """Raise Refusal unless the core has all operations in ``passes``, generated for a Node.
    """
    core = config.capabilities
    for pass_ in passes:
        for kind, code, known in (
                ("operation", pass_.accumulate.op, core.operations),
                ("reduction", pass_.reduction.reduce, core.reductions)):
            if code not in known:
                names = ", ".join(other.name for other in type(code) if other in known)
                raise Refusal(
                    RefusalKind.OPERATOR,
                    f"{node.title} needs the {kind} {code.name}, which {OPERATIONS[code].effect}",
                    because=f"size {config.name} has only {names}")

# SPDX-License-Identifier: Apache-2.0
"""Conditions on a call, and the status of a violation, for all MLI versions.

Without a documented status, a condition has the status of the library's own check. Conditions
unchecked by the library have these statuses: bad tensor for overlapping memory; shape mismatch for
weights larger than the image, bad configuration for such a pooling window; not supported for calls
refused by the golden model alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

from .types import is_count, mli_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.formats import Fixed

    from .call import Call

__all__ = [
    "BAD_TENSOR",
    "CFG",
    "INCOMPATIBLE",
    "MEMORY",
    "PADDING",
    "SHAPE",
    "SPEC",
    "TYPE",
    "UNSUPPORTED",
    "Condition",
    "Scope",
    "UnsupportedCall",
    "configured",
    "counts",
    "label",
    "member",
    "rank",
    "same",
]

PADDING      = ("padding_left", "padding_right", "padding_top", "padding_bottom")
BAD_TENSOR   = mli_status.MLI_STATUS_BAD_TENSOR
SHAPE        = mli_status.MLI_STATUS_SHAPE_MISMATCH
INCOMPATIBLE = mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS
CFG          = mli_status.MLI_STATUS_BAD_FUNC_CFG
MEMORY       = mli_status.MLI_STATUS_NOT_ENGH_MEM
UNSUPPORTED  = mli_status.MLI_STATUS_NOT_SUPPORTED
SPEC         = mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH
TYPE         = mli_status.MLI_STATUS_TYPE_MISMATCH


class UnsupportedCall(ValueError):
    """A documented call without a golden computation."""


class Scope(IntEnum):
    """The checks with a condition."""

    ALWAYS    = 0  #: Without the condition no result is defined.
    MODES     = 1  #: The library computes in release mode; its debug modes refuse the call.
    DOCUMENTS = 2  #: The library computes in every mode; the documents exclude the call.


def _show(value):
    """A value in a sentence: enumeration members by their names."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, tuple | list):
        return ", ".join(_show(each) if isinstance(each, Enum) else repr(each) for each in value
                         ).join("()" if isinstance(value, tuple) else "[]")
    return str(value)


@dataclass(frozen=True)
class Condition:
    """A condition on a call: ``ok(value(call))`` is true.

    A violation has ``status``, and a sentence from ``text`` and ``show(value(call))``.
    """

    status: mli_status
    text:   str
    value:  Callable[[Any], Any]
    ok:     Callable[[Any], bool]
    scope:  Scope = Scope.ALWAYS
    show:   Callable[[Any], Any] = _show

    def violation(self, call: Call) -> str | None:
        """Sentence about the violation by ``call``, or None; a wrong field type also violates."""
        try:
            value = self.value(call)
            return None if self.ok(value) else f"{self.text}; found {self.show(value)}"
        except UnsupportedCall:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            return f"{self.text}; found {error}"


def same(values: Sequence[int | Fixed | Sequence[int | tuple[int, ...]]]) -> bool:
    """Whether all values are equal."""
    return all(value == values[0] for value in values)


def label(name: str) -> str:
    """Argument name as documented."""
    return name.rstrip("_") if isinstance(name, str) else "input"


def rank(name: str, expected: int, scope: Scope = Scope.ALWAYS) -> Condition:
    """Condition: a tensor has ``expected`` dimensions."""
    return Condition(SHAPE, f"Rank of {label(name)} must be {expected}",
                     lambda call: getattr(call, name).rank, lambda held: held == expected, scope)


def member(kind: type[IntEnum], field: str, get: Callable) -> Condition:
    """Condition: a configuration field is an enumeration member."""
    return Condition(CFG, f"{field} must be an {kind.__name__}", get,
                     lambda value: is_count(value, 0, len(kind) - 1))


def configured(kind: type) -> Condition:
    """Condition: the configuration is a ``kind`` instance."""
    return Condition(CFG, f"cfg must be a {kind.__name__}",
                     lambda call: call.cfg, lambda cfg: isinstance(cfg, kind))


def counts(*fields: str, low: int = 0) -> tuple[Condition, ...]:
    """Conditions: configuration fields lie between ``low`` and 255."""
    return tuple(Condition(
        CFG, f"{name} must be {low} .. 255",
        lambda call, name=name: getattr(call.cfg, name),
        lambda value: is_count(value, low)) for name in fields)

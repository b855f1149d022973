# SPDX-License-Identifier: Apache-2.0
"""Errors in user input, as opposed to bugs."""

from __future__ import annotations

from contextlib import contextmanager
from difflib import get_close_matches
from enum import Enum
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["InputError", "Refusal", "RefusalKind", "accept", "check_int", "check_path",
           "check_type", "suggest", "translate_refusals"]

_Value = TypeVar("_Value")


class InputError(ValueError):
    """Unusable input, or a missing requirement of the computer; a sentence for a user.

    The command line prints the sentence and exits with 2. Any other exception, a plain ValueError
    included, is a bug.
    """


class RefusalKind(Enum):
    """Quantity making a layer unfit for passes, for a core, or for a place in memory."""

    OPERATOR = "no passes for a layer, or a function that the core lacks"
    TYPE     = "no passes for an element type"
    SHAPE    = "no passes for a shape"
    VALUE    = "numbers with which passes would not be exact"
    LAYOUT   = "tensors that lie in another order in memory"
    X_MEMORY = "tensors larger than the free part of X"
    Y_MEMORY = "constants larger than the free part of Y"
    TABLES   = "tables larger than the free part of the table memory"

    @property
    def needs_golden(self) -> bool:
        """Whether only the golden model computes the layer, whatever the memories hold."""
        return self in (RefusalKind.OPERATOR, RefusalKind.TYPE, RefusalKind.SHAPE,
                        RefusalKind.VALUE)


class Refusal(InputError):
    """A layer that passes, a core or a memory cannot take: its kind, a sentence and its reason.

    Functions searching among candidates return a Refusal in place of a result; functions for a
    user raise it.

    Parameters
    ----------
    kind : RefusalKind
    text : str, the sentence: thing, limit, value found
    because : str, the reason, which a message has after a colon
    """

    def __init__(self, kind: RefusalKind, text: str, because: str = "") -> None:
        super().__init__(kind, text, because)
        self.kind, self.text, self.because = kind, text, because

    def __str__(self) -> str:
        return f"{self.text}: {self.because}" if self.because else self.text

    def within(self, title: str) -> Refusal:
        """The Refusal with ``title``, a layer or tensor, before its sentence."""
        return Refusal(self.kind, f"{title}: {self.text}", self.because)


def accept(value: _Value | Refusal) -> _Value:
    """``value``, a result; raises a Refusal in place of a result."""
    if isinstance(value, Refusal):
        raise value
    return value


@contextmanager
def translate_refusals(subject: str, *kinds: type[BaseException]) -> Iterator[None]:
    """Convert ``kinds`` exceptions to an InputError whose sentence begins with ``subject``.

    Only for calls which receive unchecked user values and check them. An InputError passes
    unchanged.
    """
    try:
        yield
    except InputError:
        raise
    except kinds as error:
        raise InputError(f"{subject}: {str(error) or type(error).__name__}") from error


def suggest(name: object, known: Iterable[str]) -> str:
    """Sentence end for an unknown ``name``, a str: the closest name in ``known``.

    Empty if no name is close. Upper and lower case count as close.
    """
    lower = {each.lower(): each for each in known}
    close = get_close_matches(str(name).lower(), lower, 1)
    return f"; did you mean {lower[close[0]]}?" if close else ""


def check_type(name: str, value: object, *kinds: type, hint: str = "") -> None:
    """Raise InputError, a sentence naming the argument, unless ``value`` is of a class in
    ``kinds``; ``hint`` ends the sentence.
    """
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{name} must be a {wanted}, not {type(value).__name__}{hint}")


def check_path(name: str, value: object, place: str = "file") -> None:
    """Raise InputError unless ``value`` can be the name of a ``place``: a file, a folder."""
    check_type(name, value, str, PathLike, hint=f", the name of a {place}")


def check_int(name: str, value: Any, low: int) -> None:
    """Raise InputError unless ``value`` is an int, of Python or numpy, and ``low`` or more."""
    wrong = isinstance(value, bool) or not isinstance(value, Integral)
    if wrong or value < low:
        raise InputError(f"{name} must be an int of at least {low}, "
                         f"not {type(value).__name__ if wrong else value}")

# SPDX-License-Identifier: Apache-2.0
"""Base class for all MLI versions: function lookup, calls and checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from .grammar import Grammar, Name
from .rules import Condition, Scope, UnsupportedCall
from .types import mli_status

if TYPE_CHECKING:
    from .call import Call
    from .debug import DebugMode

__all__ = ["Function", "Library", "ModeContext"]

#: Exceptions of an unchecked call with wrong arguments.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Library(ABC):
    """An MLI version with its functions as attributes.

    Subclasses set ``grammar``, ``conditions`` and ``numbers``.

    Parameters
    ----------
    evaluate : function from a layer and its inputs to a Result; ``golden.run``, or a device's

    Attributes
    ----------
    grammar : Grammar for the names
    conditions : dict by primitive, tuples of Condition in checking order
    numbers : dict by primitive, helpers that return a number, not a status, in every debug mode
    fills_views : bool, whether ``evaluate`` writes the output to its keyword argument ``view``, a
        strided memory array
    """

    grammar:    Grammar
    conditions: dict[str, tuple[Condition, ...]]
    numbers:    dict[str, Callable[..., int]]
    fills_views = False

    def __init__(self, evaluate: Callable, mode: DebugMode) -> None:
        missing = [name for name in ("grammar", "conditions", "numbers") if name not in dir(self)]
        if missing:
            raise TypeError(f"abstract class {type(self).__name__} must set "
                            f"{' and '.join(missing)}")
        self.evaluate, self.mode = evaluate, mode

    @abstractmethod
    def bind(self, name: Name, arguments: dict[str, Any]) -> Call:
        """Bind ``arguments`` to the function ``name``."""

    @abstractmethod
    def apply(self, call: Any) -> int | None:
        """Execute a call."""

    def function(self, name: str) -> Function:
        """Look a function up by name; AttributeError if the convention cannot spell it."""
        return Function(self, self.grammar.parse(name))

    def __getattr__(self, name: str) -> Function:
        if not name.startswith("mli_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return self.function(name)

    def violation(self, call: Call, scope: Scope | None = None) -> tuple[mli_status, str] | None:
        """(status, text) of the first condition in ``scope`` that a call violates, or None.

        By default the scope is ``DOCUMENTS`` for a call with ``documented=True``, else ``MODES``.
        If only the golden model refuses the call, the status is ``MLI_STATUS_NOT_SUPPORTED``.
        """
        if scope is None:
            scope = Scope.DOCUMENTS if getattr(call, "documented", False) else Scope.MODES
        try:
            for condition in self.conditions[call.name.primitive]:
                text = condition.violation(call) if condition.scope <= scope else None
                if text is not None:
                    return condition.status, text
        except UnsupportedCall as refusal:
            return mli_status.MLI_STATUS_NOT_SUPPORTED, str(refusal)
        return None


@dataclass(frozen=True)
class Function:
    """A library function; call it with the documented arguments in their order.

    Undocumented options are keyword bools, see the library's module. Release mode executes the call
    without checks; if this fails, ValueError names the violated condition. A function with a valid
    name that the library lacks returns ``MLI_STATUS_NOT_SUPPORTED`` in every mode.
    """

    library: Library
    name:    Name

    @property
    def __name__(self) -> str:
        return self.name.text

    @cached_property
    def __signature__(self) -> Signature:
        options = (Parameter(option, Parameter.KEYWORD_ONLY, default=False)
                   for option in self.name.options)
        return Signature([*(Parameter(argument, Parameter.POSITIONAL_OR_KEYWORD)
                            for argument in self.name.arguments), *options])

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        library = self.library
        bound = dict.fromkeys(self.name.options, False)
        bound |= self.__signature__.bind(*args, **kwargs).arguments
        if self.name.primitive in library.numbers:
            return library.numbers[self.name.primitive](**bound)
        if not self.name.exists:
            return mli_status.MLI_STATUS_NOT_SUPPORTED
        call, mode = library.bind(self.name, bound), library.mode
        if mode.examines or bound.get("documented"):
            violation = library.violation(call)
            if violation is not None and mode.examines:
                return mode.refuse(self.name.text, *violation)
            if violation is not None:
                raise ValueError(f"{self.name.text}: {violation[1]}")
            library.apply(call)
            return mli_status.MLI_STATUS_OK
        try:
            library.apply(call)
        except _MISTAKES as error:
            _, text = library.violation(library.bind(self.name, bound)) or (None, error)
            raise ValueError(f"{self.name.text}: {text}") from None
        return mli_status.MLI_STATUS_OK


class ModeContext:
    """Set a library's debug mode; as a context manager, restore it at the end."""

    def __init__(self, library: Library, mode: DebugMode) -> None:
        self._library, self._before, library.mode = library, library.mode, mode

    def __enter__(self) -> ModeContext:
        return self

    def __exit__(self, *_: None) -> None:
        self._library.mode = self._before

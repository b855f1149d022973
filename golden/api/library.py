# SPDX-License-Identifier: Apache-2.0
"""Base of all MLI versions: function lookup, calls and checks."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, Signature

from .rules import Refusal, Scope
from .types import mli_status

__all__ = ["Function", "Library", "ModeContext"]

#: Exceptions of an unchecked call with wrong arguments.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Library(ABC):
    """The functions of a version as attributes; the base class of all versions.

    A version sets the class attributes ``grammar``, ``conditions`` and ``numbers``.

    Parameters
    ----------
    evaluate : function from a layer and its inputs to a Result; ``golden.run``, or a device's
    mode : DebugMode

    Attributes
    ----------
    fills_views : bool, whether ``evaluate`` has a keyword ``view``, a strided memory array that it
        fills with the output
    """

    fills_views = False

    def __init__(self, evaluate, mode):
        self.evaluate, self.mode = evaluate, mode

    @property
    @abstractmethod
    def grammar(self):
        """Grammar of the names."""

    @property
    @abstractmethod
    def conditions(self):
        """Conditions in the order in which they are checked, a dict by primitive."""

    @property
    @abstractmethod
    def numbers(self):
        """Helpers that return a number instead of a status in every debug mode, by primitive."""

    @abstractmethod
    def bind(self, name, arguments):
        """Call of the function ``name`` with ``arguments``."""

    @abstractmethod
    def apply(self, call):
        """Execute a call."""

    def function(self, name):
        """Look a function up by name; AttributeError if the convention cannot spell it."""
        return Function(self, self.grammar.parse(name))

    def __getattr__(self, name):
        if not name.startswith("mli_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return self.function(name)

    def violation(self, call, scope=None):
        """Status and text of the first condition in ``scope`` (Scope) that a call breaks, or None.

        The default scope is the documents for a call with ``documented=True``, else the library's
        debug modes. Calls that only the golden model refuses come last, with the status not
        supported.
        """
        if scope is None:
            scope = Scope.DOCUMENTS if getattr(call, "documented", False) else Scope.MODES
        try:
            for condition in self.conditions[call.name.primitive]:
                text = condition.violation(call) if condition.scope <= scope else None
                if text is not None:
                    return condition.status, text
        except Refusal as refusal:
            return mli_status.MLI_STATUS_NOT_SUPPORTED, str(refusal)
        return None


@dataclass(frozen=True)
class Function:
    """A library function; call it with the documented arguments in their order.

    Options outside the documents are keyword bools: see the library's module. Release mode checks
    nothing first; a call that cannot be processed raises ValueError with the broken condition. A
    function that the convention spells but the library lacks returns ``MLI_STATUS_NOT_SUPPORTED``
    in every mode.
    """

    library: Library
    name:    object

    @property
    def __name__(self):
        return self.name.text

    @cached_property
    def __signature__(self):
        options = (Parameter(option, Parameter.KEYWORD_ONLY, default=False)
                   for option in self.name.options)
        return Signature([*(Parameter(argument, Parameter.POSITIONAL_OR_KEYWORD)
                            for argument in self.name.arguments), *options])

    def __call__(self, *args, **kwargs):
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
    """A debug mode of a library, for good or as a context."""

    def __init__(self, library, mode):
        self._library, self._before, library.mode = library, library.mode, mode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.mode = self._before

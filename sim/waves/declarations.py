# SPDX-License-Identifier: Apache-2.0
"""Declarations in Verilator's value change dump."""

from dataclasses import dataclass, field

__all__ = ["Scope", "Variable", "read_declarations"]


@dataclass(frozen=True)
class Variable:
    """A variable in the dump.

    Parameters
    ----------
    name : str
    code : str, identifier in its changes; equal for equal signals
    width : int, bits
    """

    name:  str
    code:  str
    width: int


@dataclass
class Scope:
    """A scope in the dump: its name, its variables, and its inner scopes by name."""

    name:      str
    variables: list = field(default_factory=list)
    scopes:    dict = field(default_factory=dict)

    def find(self, name):
        """The first scope with this name at or below this scope; KeyError if there is none."""
        if self.name == name:
            return self
        for scope in self.scopes.values():
            try:
                return scope.find(name)
            except KeyError:
                continue
        raise KeyError(name)


def read_declarations(text):
    """The root Scope in a dump's header."""
    root  = Scope("")
    stack = [root]
    for line in text.splitlines():
        match line.split():
            case ["$scope", _, name, "$end"]:
                stack.append(stack[-1].scopes.setdefault(name, Scope(name)))
            case ["$upscope", "$end"]:
                stack.pop()
            case ["$var", _, width, code, name, *_]:
                stack[-1].variables.append(Variable(name, code, int(width)))
    return root

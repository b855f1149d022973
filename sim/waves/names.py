# SPDX-License-Identifier: Apache-2.0
"""Readable signal names for a dump.

Amaranth numbers repeated names in a module (``busy$145``), names a field by its path
(``coming$16.x.width``, ``acc[0]``), and adds its own wires (``$12``, ``port$6146$0``).
"""

import re
from dataclasses import dataclass, field

__all__ = ["Node", "name_scope"]

_NAMELESS = re.compile(r"\$|port\$\d")
_NAME     = re.compile(r"([^$.\[]+)(?:\$(\d+))?(.*)")
_PART     = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


@dataclass
class Node:
    """A name in the waveforms: a signal, a scope, or a signal with fields.

    Parameters
    ----------
    code : str or None, the signal's identifier in the dump
    width : int, bits
    values : dict, value names, empty unless it is an enumeration
    parts : dict, the Nodes below by name
    block : bool, it is a hardware block and no signal
    """

    code:   str | None = None
    width:  int = 0
    values: dict = field(default_factory=dict)
    parts:  dict = field(default_factory=dict)
    block:  bool = False

    def at(self, path):
        """The Node at a path, names joined by "/", or None."""
        node = self
        for name in path.split("/"):
            node = node.parts.get(name) if node is not None else None
        return node


def name_scope(scope, enumerations, depth=None, path=()):
    """The Node for a dump Scope and all below; blocks deeper than ``depth`` levels are left out.

    ``enumerations`` as in ``read_enumerations``, by the paths below the first scope.
    """
    node = Node(block=True)
    for base, numbered in _by_name(scope).items():
        for name, fields in _distinct(base, numbered).items():
            signal = node.parts.setdefault(name, Node())
            for parts, variable in fields:
                _put(signal, parts, variable,
                     enumerations.get("/".join((*path, variable.name)), {}))
    if depth is None or depth > 1:
        for name, each in scope.scopes.items():
            below = name_scope(each, enumerations, None if depth is None else depth - 1,
                               (*path, name))
            _join(node, name.replace("$", "_"), below)
    return node


def _by_name(scope):
    """Variables by name and number: {name: {number: [(parts, Variable)]}}."""
    found = {}
    for variable in scope.variables:
        match = _NAME.fullmatch(variable.name)
        if match is None or _NAMELESS.match(variable.name):
            continue
        base, number, rest = match.groups()
        numbered = found.setdefault(base, {})
        numbered.setdefault(int(number or -1), []).append((_parts(rest), variable))
    return found


def _parts(rest):
    """A field's names: ``.x.taps[0]`` is x, taps, 0."""
    return tuple(name or index for name, index in _PART.findall(rest))


def _distinct(base, numbered):
    """Signals with a shared name under distinct names: {name: [(parts, Variable)]}.

    Variables with the same code are the same signal.
    """
    signals = {}
    for number in sorted(numbered):
        fields = numbered[number]
        whole  = next((variable.code for parts, variable in fields if not parts), number)
        signals.setdefault(whole, (number, []))[1].extend(fields)
    first = next(iter(signals), None)
    return {base if whole == first else f"{base}_{max(number, 0)}": fields
            for whole, (number, fields) in signals.items()}


def _put(node, parts, variable, values):
    """Put a signal's field into its Node; a name for the same field stays."""
    for part in parts:
        node = node.parts.setdefault(part, Node())
    if node.code is None:
        node.code, node.width = variable.code, variable.width
    node.values = node.values or values


def _join(node, name, below):
    """Put a block into a Node; a block and a signal may share a name."""
    same = node.parts.get(name)
    if same is None:
        node.parts[name] = below
    else:
        same.parts = below.parts | same.parts
        same.block = True

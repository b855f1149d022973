# SPDX-License-Identifier: Apache-2.0
"""Places changed in a source, in syntax-tree order.

Not changed: docstrings, strings, annotations, imports, decorators, ``__all__``, ``match`` patterns,
error texts, and ``strict`` in ``zip``, which only asserts.
"""

import ast
from collections import Counter
from dataclasses import dataclass, field

from .changes import (
    expression_changes,
    other_end,
    slice_changes,
    statement_changes,
    unknown_size,
)

__all__ = ["Mutant", "functions_of", "mutants_of", "mutated"]

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_SKIPPED   = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Global, ast.Nonlocal)


@dataclass(frozen=True)
class Mutant:
    """A change to a source file.

    Parameters
    ----------
    file : str, path below the root
    line : int, changed line, from 1 on
    number : int, number among the line's mutants, from 1 on
    function : str, qualified name of the function or class; empty at the top
    text : str, first statement line and the change; a number tells equal texts in a function apart
    lines : range, the statement's lines, without the statements inside
    names : tuple of str, names a statement defines as it runs during import, else the function
    at_import : bool, whether it runs while the module is imported
    order : int, place among the file's mutants
    """

    file:      str
    line:      int
    number:    int
    function:  str
    text:      str
    lines:     range
    names:     tuple
    at_import: bool
    order:     int

    @property
    def name(self):
        """``FILE:LINE:NUMBER``."""
        return f"{self.file}:{self.line}:{self.number}"


@dataclass
class _Site:
    """A node, where it hangs, and its changes."""

    node:    ast.AST
    parent:  ast.AST
    field:   str
    index:   int | None
    changes: list
    scope:   "_Scope"


@dataclass(frozen=True)
class _Scope:
    """Function, statement and lines around a node."""

    function:  str = ""
    statement: ast.AST | None = None
    lines:     range = range(0)
    names:     tuple = ()
    at_import: bool = True
    known:     set = field(default_factory=set)
    in_branch: bool = False
    end:       tuple | None = None

    def inside(self, **fields):
        return _Scope(**(self.__dict__ | fields))


def mutants_of(source, file):
    """All Mutants of a source text, in tree order."""
    lines, texts, mutants = Counter(), Counter(), []
    for site in _sites(ast.parse(source)):
        scope     = site.scope
        statement = ast.unparse(scope.statement).partition("\n")[0]
        for change in site.changes:
            line = site.node.lineno
            text = f"{statement}: {change.text}"
            lines[line] += 1
            texts[scope.function, text] += 1
            again = texts[scope.function, text]
            mutants.append(Mutant(
                file, line, lines[line], scope.function, text + f" ({again})" * (again > 1),
                scope.lines, scope.names, scope.at_import, len(mutants)))
    return mutants


def mutated(source, order):
    """A source text's syntax tree with the mutant at place ``order`` (int) among all."""
    tree = ast.parse(source)
    for site in _sites(tree):
        if order < len(site.changes):
            _replace(site, site.changes[order].make())
            return ast.fix_missing_locations(tree)
        order -= len(site.changes)
    raise LookupError("There is no such mutant")


def _replace(site, new):
    for node in new if isinstance(new, list) else [new]:
        ast.copy_location(node, site.node)
    if site.index is None:
        setattr(site.parent, site.field, new)
    elif isinstance(new, list):
        getattr(site.parent, site.field)[site.index:site.index + 1] = new
    else:
        getattr(site.parent, site.field)[site.index] = new


def functions_of(source):
    """``(name, first line, last line, identifiers)`` for every function in a source text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _FUNCTIONS | ast.Lambda):
            yield getattr(node, "name", ""), node.lineno, node.end_lineno, {
                each.id if isinstance(each, ast.Name) else each.attr
                for each in ast.walk(node) if isinstance(each, ast.Name | ast.Attribute)}


def _sites(tree):
    """A module's sites with their changes; outer statements before inner statements."""
    yield from _block(tree, "body", _Scope())


def _block(parent, name, scope):
    for index, node in enumerate(getattr(parent, name)):
        yield from _statement(node, parent, name, index, scope)


def _statement(node, parent, name, index, scope):
    if _is_skipped(node):
        return
    scope = scope.inside(statement=node, lines=_head(node))
    if scope.at_import:
        scope = scope.inside(names=(*_defined(node), *scope.names[-1:]))
    if not scope.at_import:
        changes = list(statement_changes(node, scope.known, scope.in_branch))
        if changes:
            yield _Site(node, parent, name, index, changes, scope)
    yield from _STATEMENTS.get(type(node), _plain)(node, scope)
    scope.known.update(each.id for each in ast.walk(node)
                       if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _is_skipped(node):
    if isinstance(node, _SKIPPED):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _head(node):
    """A statement's lines, without the statements inside."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    last = node.end_lineno
    if body:
        first = body[0]
        last = max(getattr(first, "lineno", node.lineno + 1) - 1, node.lineno)
    return range(node.lineno, last + 1)


def _defined(node):
    """Names defined by a statement."""
    if isinstance(node, _FUNCTIONS | ast.ClassDef):
        return (node.name,)
    return tuple(each.id for target in getattr(node, "targets", [getattr(node, "target", None)])
                 if target is not None for each in ast.walk(target) if isinstance(each, ast.Name))


def _function(node, scope):
    defaults = scope.inside(names=(node.name,)) if scope.at_import else scope
    for name in ("defaults", "kw_defaults"):
        for index, default in enumerate(getattr(node.args, name)):
            if default is not None:
                yield from _expression(default, node.args, name, index, defaults)
    qualified = f"{scope.function}.{node.name}".lstrip(".")
    arguments = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    yield from _block(node, "body", _Scope(qualified, names=(node.name,), at_import=False,
                                           known=arguments))


def _class(node, scope):
    qualified = f"{scope.function}.{node.name}".lstrip(".")
    yield from _block(node, "body", scope.inside(function=qualified, names=(node.name,)))


def _raise(node, scope):
    """Error texts stay."""
    return ()


def _plain(node, scope):
    """A statement's expressions, then the statements inside."""
    inner = scope.inside(in_branch=True)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "pattern"):
            continue
        if name in ("body", "orelse", "finalbody"):
            yield from _block(node, name, inner)
        elif name in ("handlers", "cases"):
            for part in value:
                if isinstance(part, ast.match_case) and part.guard is not None:
                    yield from _expression(part.guard, part, "guard", None, scope, True)
                yield from _block(part, "body", inner)
        else:
            yield from _children(node, name, value, scope)


_STATEMENTS = {ast.FunctionDef: _function, ast.AsyncFunctionDef: _function, ast.ClassDef: _class,
               ast.Raise: _raise}


def _children(node, name, value, scope):
    is_condition = (name == "test" or (name == "ifs"))
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _expression(each, node, name, index, scope, is_condition)
    elif isinstance(value, ast.AST):
        yield from _expression(value, node, name, None, scope, is_condition)


def _expression(node, parent, name, index, scope, is_condition=False):
    if node is None or isinstance(node, _SKIPPED):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    if isinstance(node, ast.expr):
        changes = expression_changes(node, is_condition, scope.end)
        if isinstance(node, ast.Subscript):
            changes += slice_changes(node)
            scope = scope.inside(end=other_end(node))
        elif isinstance(node, ast.Call):
            scope = scope.inside(end=unknown_size(node))
        if changes:
            yield _Site(node, parent, name, index, changes, scope)
    if isinstance(node, ast.Lambda):
        scope = scope.inside(in_branch=False)
    for inner, value in ast.iter_fields(node):
        yield from _children(node, inner, value, scope)

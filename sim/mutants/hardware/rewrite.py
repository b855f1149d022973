# SPDX-License-Identifier: Apache-2.0
"""Rewrite the hardware sources: every expression with mutants becomes a ``points`` call.

A call receives its ``Site`` number and the operands. It returns the expression, and, if the
operands are hardware, with its mutants behind the select register; see ``points``. Plain Python
expressions, which decide the hardware structure, keep their values and have no mutants.
"""

import ast

from .mutant import Site
from .texts import BESIDE, BINARY, COMPARE, COMPOUND, FOLDED, UNARY, binary_texts, more

__all__ = ["POINTS", "Rewriter"]

POINTS = "_mutants_"  #: Global name of the ``Points`` in a rewritten module.


class Rewriter(ast.NodeTransformer):
    """Rewrite a file's syntax tree and collect its sites.

    Parameters
    ----------
    file : str, path below ``hdl``
    text : str, source
    first : int, first site number
    """

    def __init__(self, file, text, first):
        self.sites  = []
        self._file  = file
        self._lines = [line.encode() for line in text.splitlines(keepends=True)]
        self._first = first

    def _text(self, node):
        first, last = node.lineno - 1, node.end_lineno - 1
        parts = self._lines[first:last + 1]
        parts[-1] = parts[-1][:node.end_col_offset]
        parts[0]  = parts[0][node.col_offset:]
        return " ".join(b"".join(parts).decode().split())

    def _operand(self, node):
        """Operand text, in parentheses if it is an expression with operators."""
        text = self._text(node)
        return f"({text})" if isinstance(node, COMPOUND) else text

    def _point(self, node, method, variants, *arguments, keywords=()):
        """A ``Points`` method call in place of a node."""
        number = self._first + len(self.sites)
        self.sites.append(Site(number, self._file, node.lineno, node.col_offset,
                               self._shown(node), variants))
        call = ast.Call(
            ast.Attribute(ast.Name(POINTS, ast.Load()), method, ast.Load()),
            [ast.Constant(number), *arguments], list(keywords))
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _shown(self, node):
        return self._before if self._before is not None else self._text(node)

    def _replace(self, node, method, variants, names, extra=()):
        """Visit a node's parts ``names`` and hand them to a method; texts come first."""
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        try:
            return self._point(node, method, variants, *extra,
                               *(getattr(node, name) for name in names))
        finally:
            self._before = None

    _before = None

    def visit_BinOp(self, node):
        """``one op other``."""
        sign = BINARY.get(type(node.op))
        if sign is None:
            return self.generic_visit(node)
        return self._replace(node, "binary", binary_texts(
            sign, self._operand(node.left), self._operand(node.right)), ("left", "right"),
            [ast.Constant(sign)])

    def visit_Compare(self, node):
        """A comparison with a single operator; chains are plain Python."""
        sign = COMPARE.get(type(node.ops[0]))
        if sign is None or len(node.ops) > 1:
            return self.generic_visit(node)
        left, right = self._operand(node.left), self._operand(node.comparators[0])
        variants = {1: ("compare", f"{left} {BESIDE[sign]} {right}"),
                    2: ("constant", f"{left} {sign} {more(right, 1)}"),
                    3: ("constant", f"{left} {sign} {more(right, -1)}")}
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        made = self._point(node, "compare", variants, ast.Constant(sign), node.left,
                           node.comparators[0])
        self._before = None
        return made

    def visit_UnaryOp(self, node):
        """``~`` and ``-``, but not a number's sign."""
        sign = UNARY.get(type(node.op))
        if sign is None or isinstance(node.operand, ast.Constant):
            return self.generic_visit(node)
        return self._replace(node, "unary", {1: ("invert", self._text(node.operand))},
                             ("operand",), [ast.Constant(sign)])

    def visit_Subscript(self, node):
        """A bit, slice or element, read or assigned with ``eq``."""
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Tuple) or (
                isinstance(node.slice, ast.Slice) and node.slice.step):
            return self.generic_visit(node)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return self.generic_visit(node)
        value, bounds = self._text(node.value), self._bounds(node.slice)
        variants = {number: ("slice", f"{value}[{':'.join(more(bound, by) for bound in bounds)}]")
                    for number, by in ((1, 1), (2, -1))}
        return self._replace(node, "subscript", variants, ("value", "slice"))

    def _bounds(self, index):
        if not isinstance(index, ast.Slice):
            return [self._text(index)]
        return [self._text(bound) if bound else "" for bound in (index.lower, index.upper)]

    def visit_Slice(self, node):
        """A subscript's index as an object."""
        self.generic_visit(node)
        return ast.Call(ast.Name("slice", ast.Load()), [
            bound or ast.Constant(None) for bound in (node.lower, node.upper, node.step)], [])

    def visit_JoinedStr(self, node):
        """Message texts."""
        return node

    def visit_Call(self, node):
        """Calls to Amaranth and to ``delay``."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else None
        plain = not node.keywords and not any(isinstance(part, ast.Starred) for part in node.args)
        count = len(node.args) if plain else -1
        if name == "Mux" and count == 3:
            return self._call(node, "mux", {1: ("arm", self._text(node.args[1])),
                                            2: ("arm", self._text(node.args[2]))})
        if name == "reduce" and count >= 2 and isinstance(node.args[0], ast.Name) and (
                node.args[0].id in FOLDED):
            return self._fold(node)
        if name == "delay" and len(node.args) == 3:
            return self._delay(node)
        if attribute in ("If", "Elif") and count == 1:
            return self._condition(node)
        if attribute == "eq" and count == 1:
            return self._assign(node)
        if attribute in ("any", "all") and count == 0:
            other = {"any": "all", "all": "any"}[attribute]
            return self._receiver(node, "reduction", {
                1: ("reduction", f"{self._text(node.func.value)}.{other}()")}, attribute)
        if name in ("Signal", "In", "Out"):
            self._initial(node)
        return self.generic_visit(node)

    def _call(self, node, method, variants):
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        made = self._point(node, method, variants, *node.args, keywords=node.keywords)
        self._before = None
        return made

    def _receiver(self, node, method, variants, *constants):
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        made = self._point(node, method, variants, *map(ast.Constant, constants), node.func.value,
                           *node.args)
        self._before = None
        return made

    def _fold(self, node):
        function = node.args[0]
        sign     = FOLDED[function.id]
        variants = binary_texts(sign, "each", "next")
        node.args[0] = self._point(function, "folded", variants, ast.Constant(sign))
        return self.generic_visit(node)

    def _delay(self, node):
        cycles = self._text(node.args[2])
        shown  = f"delay({self._text(node.args[1])}, {{}})"
        return self._call(node, "delay", {
            1: ("delay", shown.format(more(cycles, 1))),
            2: ("delay", shown.format(more(cycles, -1)))})

    def _condition(self, node):
        keyword = node.func.attr
        variants = {1: ("condition", f"{keyword}(1)"), 2: ("condition", f"{keyword}(0)")}
        before = f"{keyword}({self._text(node.args[0])})"
        self.generic_visit(node)
        self._before = before
        node.args[0] = self._point(node.args[0], "condition", variants, node.args[0])
        self._before = None
        return node

    def _assign(self, node):
        target, value = self._text(node.func.value), self._text(node.args[0])
        return self._receiver(node, "assign", {
            1: ("assignment", "dropped"),
            2: ("constant", f"{target}.eq({more(value, 1)})"),
            3: ("constant", f"{target}.eq({more(value, -1)})")})

    def _initial(self, node):
        for keyword in node.keywords:
            if keyword.arg == "init":
                text = self._text(keyword.value)
                self._before = f"init={text}"
                keyword.value = self._point(
                    keyword.value, "initial", {1: ("initial", f"init={more(text, 1)}")},
                    keyword.value)
                self._before = None

    def visit_Assign(self, node):
        """``m.next = state``."""
        [target, *others] = node.targets
        if others or not isinstance(target, ast.Attribute) or target.attr != "next":
            return self.generic_visit(node)
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        made = self._point(node, "transition", {1: ("transition", "dropped")}, target.value,
                           node.value)
        self._before = None
        return ast.copy_location(ast.Expr(made), node)

    def visit_AugAssign(self, node):
        """``name op= value`` becomes ``name = name op value``; ``m.d.sync +=`` stays."""
        sign = BINARY.get(type(node.op))
        if sign is None or not isinstance(node.target, ast.Name) or sign == "+":
            return self.generic_visit(node)
        name = node.target.id
        variants = binary_texts(sign, name, self._text(node.value))
        before = self._text(node)
        self.generic_visit(node)
        self._before = before
        made = self._point(node, "update", variants, ast.Constant(sign),
                           ast.Name(name, ast.Load()), node.value)
        self._before = None
        return ast.fix_missing_locations(ast.copy_location(
            ast.Assign([ast.Name(name, ast.Store())], made), node))

    def visit_AnnAssign(self, node):
        """Annotations are component members: structure, with reset values."""
        for call in ast.walk(node.annotation):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and (
                    call.func.id in ("In", "Out")):
                self._initial(call)
        return node

    def visit_FunctionDef(self, node):
        """The body alone: decorators, defaults and annotations are structure."""
        node.body = [self.visit(part) for part in node.body]
        return node

# SPDX-License-Identifier: Apache-2.0
"""Small changes to an expression or a statement, each a wrong program for tests to notice.

A change replaces a syntax-tree node. The new node calls ``PROBE``, so a run tells whether it
reached the changed place.
"""

import ast
import copy
from dataclasses import dataclass

__all__ = ["PROBE", "Change", "expression_changes", "other_end", "slice_changes",
           "statement_changes", "unknown_size"]

PROBE = "__xymac_mutant_ran__"  #: Built-in function that notes a run and returns its argument.

_OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd}
#: The boundary first, then the opposite.
_COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,)}
_PAIRS = (("min", "max"), ("any", "all"), ("floor", "ceil"), ("minimum", "maximum"),
          ("argmin", "argmax"), ("logical_and", "logical_or"), ("left_shift", "right_shift"),
          ("add", "subtract"), ("amin", "amax"))
_NAMES = {old: new for pair in _PAIRS for old, new in (pair, pair[::-1])}
_PLAIN = {"min", "max", "any", "all", "floor", "ceil"}  #: Names used without a module.


@dataclass(frozen=True)
class Change:
    """A replacement for the node ``before``, shown as ``after`` (None: nothing).

    ``make()`` returns the new node, or a list of statements for a statement.
    """

    before: ast.AST
    after:  ast.AST | None
    make:   object

    @property
    def text(self):
        """First lines before and after."""
        return f"{_line(self.before)} -> {_line(self.after) if self.after else 'pass'}"


def _probed(node):
    return ast.Call(ast.Name(PROBE, ast.Load()), [node], [])


def _change(old, new):
    """Change the expression ``old`` to the expression ``new``."""
    return Change(old, new, lambda: _probed(new))


def _with(node, **fields):
    """Copy a node with other fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _binary(node):
    kind = _OPERATORS.get(type(node.op))
    if kind and not isinstance(getattr(node.left, "value", None), str):
        yield _with(node, op=kind())


def _compare(node):
    for index, operator in enumerate(node.ops):
        for kind in _COMPARISONS[type(operator)]:
            yield _with(node, ops=[*node.ops[:index], kind(), *node.ops[index + 1:]])


def _boolean(node):
    yield _with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())


def _unary(node):
    if not isinstance(node.op, ast.UAdd):
        yield node.operand


def _constant(node):
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        for value in (node.value + 1, node.value - 1):
            if value != node.value:  # a large float stays
                yield ast.Constant(value)


def _name(node):
    if isinstance(node.ctx, ast.Load) and node.id in _PLAIN:
        yield ast.Name(_NAMES[node.id], ast.Load())


def _call(node):
    if isinstance(node.func, ast.Attribute) and node.func.attr in _NAMES:
        yield _with(node, func=_with(node.func, attr=_NAMES[node.func.attr]))


_EXPRESSIONS = {ast.BinOp: _binary, ast.Compare: _compare, ast.BoolOp: _boolean,
                ast.UnaryOp: _unary, ast.Constant: _constant, ast.Name: _name, ast.Call: _call}


def other_end(node):
    """``(constant, number)`` for the subscripts ``[0]`` and ``[-1]``, else None.

    The number would exchange the two subscripts, and both ends of a sequence with a single item
    are equal. The change to ``[1]`` or ``[-2]`` remains: such a sequence has no item there.
    """
    index = node.slice
    if isinstance(index, ast.Constant) and index.value == 0:
        return index, -1
    if isinstance(index, ast.UnaryOp) and ast.unparse(index) == "-1":
        return index.operand, 0
    return None


def unknown_size(node):
    """``(constant, number)`` for the -1 among the sizes of a call of ``reshape``, else None.

    numpy takes any negative number for the unknown size.
    """
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "reshape":
        return None
    sizes = [size for each in node.args
             for size in (each.elts if isinstance(each, ast.Tuple) else [each])]
    return next(((size.operand, 2) for size in sizes if ast.unparse(size) == "-1"), None)


def expression_changes(node, is_condition, end=None):
    """Changes to an expression.

    ``is_condition``: it decides a branch; ``end``: ``other_end`` of the surrounding subscript, or
    ``unknown_size`` of the surrounding call.
    """
    news = list(_EXPRESSIONS.get(type(node), lambda _: ())(node))
    if end and node is end[0]:
        news = [new for new in news if new.value != end[1]]
    # The opposite of a comparison, and what is behind ``not``, already negate.
    if is_condition and not isinstance(node, ast.Compare | ast.UnaryOp | ast.Constant):
        news.append(ast.UnaryOp(ast.Not(), node))
    return [_change(node, new) for new in news]


def slice_changes(node):
    """Changes to a subscript with slices: bounds dropped, and bounds off by 1."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for index, part in enumerate(parts):
        if not isinstance(part, ast.Slice):
            continue
        for other in _slices(part):
            if isinstance(node.slice, ast.Tuple):
                other = _with(node.slice, elts=[*parts[:index], other, *parts[index + 1:]])
            new = _with(node, slice=other)
            yield Change(node, new, lambda new=new: _with(new, value=_probed(new.value)))


def _slices(part):
    for name, operator in (("lower", ast.Add), ("upper", ast.Sub), ("step", None)):
        bound = getattr(part, name)
        if bound is None:
            continue
        yield _with(part, **{name: None})
        if operator and not isinstance(bound, ast.Constant):
            yield _with(part, **{name: ast.BinOp(bound, operator(), ast.Constant(1))})


def statement_changes(node, known, in_branch):
    """Changes to a statement: another assignment operator, and the statement dropped.

    ``known`` has the names bound before; ``in_branch``: other statements can follow a return.
    """
    if isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS:
        new = _with(node, op=_OPERATORS[type(node.op)]())
        yield Change(node, new, lambda: _with(new, value=_probed(new.value)))
    if isinstance(node, ast.Break | ast.Continue):
        other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
        yield Change(node, other, lambda: [_noted(), other])
    elif _can_be_dropped(node, known, in_branch):
        # Dead code keeps the scopes of its names, and a generator stays a generator.
        yield Change(node, None, lambda: [_noted(), ast.If(ast.Constant(False), [node], [])])


def _noted():
    return ast.Expr(_probed(ast.Constant(None)))


def _line(node):
    return ast.unparse(node).partition("\n")[0]


def _can_be_dropped(node, known, in_branch):
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Return):
        return in_branch and node.value is not None
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript)
                   or (isinstance(target, ast.Name) and target.id in known)
                   for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Raise)

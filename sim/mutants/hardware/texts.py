# SPDX-License-Identifier: Apache-2.0
"""Operators in the sources, and their mutant texts."""

import ast

__all__ = ["BESIDE", "BINARY", "COMPARE", "COMPOUND", "FOLDED", "SWAPPED", "UNARY", "binary_texts",
           "more"]

BINARY  = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|",
            ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
SWAPPED = {"+": "-", "-": "+", "*": "+", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
BESIDE  = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
UNARY   = {ast.Invert: "~", ast.USub: "-"}
COMPOUND = (ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda)
FOLDED  = {"or_": "|", "and_": "&", "add": "+", "xor": "^"}  # names out of ``operator``


def more(text, by):
    """Expression text plus ``by``."""
    if not text:
        return text
    try:
        return str(int(text) + by)
    except ValueError:
        plain   = text.replace(".", "").replace("_", "").isalnum() or text[0] == "("
        wrapped = text if plain else f"({text})"
        return f"{wrapped} {'+' if by > 0 else '-'} 1"


def binary_texts(sign, left, right):
    """Variants of ``left sign right``."""
    kind  = "logic" if sign in "&|^" else "arithmetic"
    texts = {1: (kind, f"{left} {SWAPPED[sign]} {right}"),
             4: ("constant", f"{left} {sign} {more(right, 1)}"),
             5: ("constant", f"{left} {sign} {more(right, -1)}"),
             6: ("constant", f"{more(left, 1)} {sign} {right}"),
             7: ("constant", f"{more(left, -1)} {sign} {right}")}
    if sign in "&|^":
        texts |= {2: ("operand", left), 3: ("operand", right)}
    if sign in ("<<", ">>"):
        texts |= {2: ("arithmetic", left)}
    return texts

"""Sentences that refuse: where the code says them, and why, out of the tables beside it."""

import ast
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import golden.api.reasons
import golden.mli1.reasons
import golden.mli2.reasons
import golden.reasons
import golden.tflm.reasons
import golden.xs3.reasons
import host.lower.reasons
import host.plan.reasons

from .documents import ROOT

__all__ = ["FOLDERS", "Sentence", "read_sentences"]

#: Tables of reasons by the folder whose files they are for, sub-folders with a table left out.
FOLDERS = {
    "golden":      golden.reasons.REASONS,
    "golden/mli1": golden.mli1.reasons.REASONS,
    "golden/mli2": golden.mli2.reasons.REASONS,
    "golden/tflm": golden.tflm.reasons.REASONS,
    "golden/xs3":  golden.xs3.reasons.REASONS,
    "golden/api":  golden.api.reasons.REASONS,
    "host/lower":  host.lower.reasons.REASONS,
    "host/plan":   host.plan.reasons.REASONS,
}

#: Errors that a sentence makes, and what a condition must begin with to count as one.
_ERRORS    = {"AllocationError", "KeyError", "LookupError", "NoPassesError", "OverflowError",
              "Refusal", "TypeError", "ValueError"}
_CONDITION = ("Condition", "UNSUPPORTED")
_OPEN      = "…"  #: For what is known only when the sentence is said.
#: What passes the sentence of another error on.
_WRAPPERS  = {_OPEN, f"{_OPEN}: {_OPEN}", f"Layer {_OPEN}: {_OPEN}",
              f"Layer {_OPEN} ({_OPEN}): {_OPEN}"}
#: Of ``golden`` itself: what computes passes, and has no calls to refuse.
_OTHERS    = {"golden/machine"}


@dataclass(frozen=True)
class Sentence:
    """One sentence, at one place.

    Parameters
    ----------
    path : Path of the file, from the root
    pattern : str, the sentence with an ellipsis for every value: its key in a table of reasons
    text : str, the same with the values that are constants of the module
    reason : golden.reasons.Reason; None if the table has none
    """

    path:    object
    pattern: str
    text:    str
    reason:  object


def _value(expression, names):
    """Text of an int that is an expression of constants of a module, else an ellipsis."""
    try:
        value = eval(ast.unparse(expression), dict(names))
    except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError):
        return _OPEN
    return f"{value:,}" if isinstance(value, int) else _OPEN


def _join(text, show):
    """A sentence out of its expression; ``show`` turns the expression of a value into text."""
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return text.value
    if isinstance(text, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else show(part.value)
                       for part in text.values)
    if isinstance(text, ast.BinOp):
        return _join(text.left, show) + _join(text.right, show)
    return _OPEN


def _texts(tree):
    """Expressions of the sentences of a module."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).split(".")[-1]
        if name in _ERRORS and node.args:
            yield node.args[0]
        elif name == _CONDITION[0] and ast.unparse(node.args[0]) == _CONDITION[1]:
            yield node.args[1]


def _files(folder):
    inner = {*FOLDERS, *_OTHERS} - {folder}
    return [path for path in sorted((ROOT / folder).rglob("*.py"))
            if not any((ROOT / other) in path.parents for other in inner
                       if other.startswith(f"{folder}/"))]


@cache
def _read_file(path):
    """Patterns and texts of the sentences of a file, each once."""
    texts = list(_texts(ast.parse(path.read_text(encoding="utf-8"))))
    if not texts:
        return {}
    names = vars(import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))
    return {_join(text, lambda value: _OPEN): _join(text, lambda value: _value(value, names))
            for text in texts}


def read_sentences(folder):
    """Every Sentence of the files of a folder of ``FOLDERS``, in their order, each once a file."""
    return [Sentence(path.relative_to(ROOT), pattern, text, FOLDERS[folder].get(pattern))
            for path in _files(folder) for pattern, text in _read_file(path).items()
            if pattern not in _WRAPPERS]

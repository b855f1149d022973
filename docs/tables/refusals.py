"""What has a golden model and no passes: the sentences that say so, out of the lowerings."""

import ast
from importlib import import_module

from .documents import ROOT
from .table import markdown

__all__ = ["refusals"]

_ERROR = "NoPassesError"
_OPEN  = "…"  #: For what is known only when the sentence is said.


def _value(expression, names):
    """Text of an int that is an expression of constants of a module, else an ellipsis."""
    try:
        value = eval(ast.unparse(expression), dict(names))
    except (NameError, AttributeError, TypeError):
        return _OPEN
    return f"{value:,}" if isinstance(value, int) else _OPEN


def _sentence(text, names):
    """The text of an error, its constants filled in."""
    if isinstance(text, ast.Constant):
        return text.value
    return "".join(part.value if isinstance(part, ast.Constant) else _value(part.value, names)
                   for part in text.values)


def refusals():
    """A row for every sentence: what it says, and the file that says it."""
    rows = []
    for path in sorted((ROOT / "host/lower").rglob("*.py")):
        module = path.relative_to(ROOT)
        raised = [node.exc for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                  if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
                  and ast.unparse(node.exc.func) == _ERROR]
        if raised:
            names = vars(import_module(".".join(module.with_suffix("").parts)))
            rows += [(_sentence(error.args[0], names), f"`{module}`") for error in raised]
    return markdown(("sentence", "said by"), rows)

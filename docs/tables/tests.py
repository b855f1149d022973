"""What each file of tests shows, as its first sentence says."""

import ast

from .documents import ROOT
from .table import markdown

__all__ = ["shown"]


def shown():
    """A row a file; ValueError for one that does not say what it shows."""
    rows = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT)
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        if text is None:
            raise ValueError(f"{name} must begin with a sentence on what it shows")
        sentence = " ".join(text.partition("\n\n")[0].split())
        rows.append((sentence.removesuffix(".").replace("``", "`"), f"`{name}`"))
    return markdown(("what it shows", "test"), rows)

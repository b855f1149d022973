# SPDX-License-Identifier: Apache-2.0
"""Right answers of the shipped networks, trained and quantised anew."""

from pathlib import Path
from tempfile import TemporaryDirectory

from xymac.host.examples.digits import RECIPES, load_digits, write

from .table import markdown

__all__ = ["accuracy"]


def _rows(recipe, digits, folder):
    """Rows of a recipe's networks: file, right answers, share, share before quantisation."""
    shares = write(recipe, digits, folder)
    exact  = f"{shares['double precision']:.1%}"
    count  = len(digits.test.data)
    kinds  = {f"{name}.npz": kind for name, (kind, _) in recipe.files.items()}
    for file, kind in (kinds | {name: name for name in recipe.quantised}).items():
        yield (f"`{file}`", f"{round(shares[kind] * count)} of {count}", f"{shares[kind]:.1%}",
               exact)


def accuracy():
    """A row for each network file: right answers on the test images, and before quantisation."""
    digits = load_digits()
    with TemporaryDirectory() as folder:
        rows = [row for recipe in RECIPES for row in _rows(recipe, digits, Path(folder))]
    return markdown(("file", "right", "share", "in double precision"), rows)

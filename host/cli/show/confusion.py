# SPDX-License-Identifier: Apache-2.0
"""A Score's confusion matrix as text lines and as a figure."""

import numpy as np

from xymac.host.files.text import plain

__all__ = ["confusion_figure", "confusion_lines"]

_MOST   = 24  #: Class limit for a matrix in text; beyond it, the most confused pairs.
_PAIRS  = 10
_NAME   = 16  # characters of a class name
_RIGHT  = "right"


def _cut(name):
    name = plain(name)
    return name if len(name) <= _NAME else f"{name[:_NAME - 1]}…"


def confusion_lines(score, names, width):
    """Matrix lines, a row for each label with its share of right answers; for many classes, or in a
    terminal too narrow, the most confused class pairs.
    """
    names = [*map(_cut, names)]
    lines = _matrix(score, names)
    if score.classes <= _MOST and max(map(len, lines)) <= width:
        return lines
    return _pairs(score, names)


def _matrix(score, names):
    cells = score.confusion
    first = max(len("label"), *map(len, names))
    wide  = [max(len(name), len(str(column.max()))) for name, column
             in zip(names, cells.T, strict=True)]
    heads = "  ".join(name.rjust(size) for name, size in zip(names, wide, strict=True))
    lines = [f"{'label'.ljust(first)}  {heads}  {_RIGHT.rjust(6)}  <- predicted"]
    for number, name in enumerate(names):
        row   = "  ".join(("." if not count else str(count)).rjust(size)
                          for count, size in zip(cells[number], wide, strict=True))
        total = cells[number].sum()
        share = f"{cells[number, number] / total:.1%}" if total else "-"
        lines.append(f"{name.ljust(first)}  {row}  {share.rjust(6)}")
    return lines


def _pairs(score, names):
    cells = score.confusion.copy()
    np.fill_diagonal(cells, 0)
    order = [place for place in np.argsort(-cells, axis=None, kind="stable")[:_PAIRS]
             if cells.flat[place]]
    lines = [f"{score.classes} classes; confused most:" if order else
             f"{score.classes} classes; none is confused with another"]
    for place in order:
        label, answer = divmod(int(place), score.classes)
        lines.append(f"  {names[label]} as {names[answer]}: {cells.flat[place]} of "
                     f"{score.confusion[label].sum()}")
    return lines


def confusion_figure(score, names, title):
    """Matrix figure: colours are shares within each label, numbers are counts."""
    from matplotlib.figure import Figure  # slow import

    cells  = score.confusion
    totals = np.maximum(cells.sum(axis=1, keepdims=True), 1)
    side   = min(max(5.0, 0.42 * score.classes + 2), 18.0)
    figure = Figure(figsize=(side + 1, side), layout="constrained")
    figure.suptitle(plain(f"{title}: {score.right} of {score.count} right "
                          f"({score.accuracy:.1%})"), parse_math=False)
    axes   = figure.subplots()
    image  = axes.imshow(cells / totals, cmap="Blues", vmin=0, vmax=1)
    figure.colorbar(image, label="share of the label's inputs")
    axes.set(xlabel="predicted", ylabel="label")
    if score.classes <= 4 * _MOST:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(range(score.classes), labels=[*map(_cut, names)], parse_math=False)
        axes.tick_params(axis="x", rotation=90 if max(map(len, names)) > 2 else 0)
    if score.classes <= _MOST:
        for label, answer in np.argwhere(cells):
            dark = cells[label, answer] > totals[label, 0] / 2
            axes.text(answer, label, str(cells[label, answer]), ha="center", va="center",
                      color="white" if dark else "black")
    return figure

# SPDX-License-Identifier: Apache-2.0
"""Sentences, table and JSON for ``xymac evaluate``."""

from dataclasses import dataclass
from math import inf, isinf

from rich.markup import escape
from rich.table import Table

from xymac.host.accuracy.score import Score
from xymac.host.files.text import plain
from xymac.host.network.inference import Inference
from xymac.host.network.network import Images, Network

__all__ = ["Evaluation", "evaluation_json", "float_lines", "noise_table", "score_lines"]

_MANY  = 10  # classes from which on the five best count as well
_TOP   = 5
_WRONG = 10  #: Wrong answers that are listed.
_NAME  = 40  # characters of a layer name


@dataclass(frozen=True)
class Evaluation:
    """Evaluation results.

    Parameters
    ----------
    network, images, inference : Network, labelled Images, Inference
    score : the network's Score
    names : tuple of str, class names
    floats : the float network's Score, or None
    noise : list of LayerNoise
    """

    network:   Network
    images:    Images
    inference: Inference
    score:     Score
    names:     tuple
    floats:    Score | None = None
    noise:     tuple = ()


def score_lines(result):
    """Lines on wrong answers and accuracy."""
    score, names = result.score, result.names
    for index in score.wrong[:_WRONG]:
        place = result.images.files[index] if result.images.files else f"input {index}"
        yield (f"wrong: {place}: {names[score.labels[index]]} as "
               f"{names[score.predictions[index]]} ({score.shares[index]:.3g})")
    if len(score.wrong) > _WRONG:
        yield f"... {len(score.wrong) - _WRONG} more wrong answers (--json lists all)"
    low, high = score.interval
    yield (f"{score.right} of {score.count} right ({score.accuracy:.1%}; 95 % interval {low:.1%} "
           f"to {high:.1%})")
    if score.classes > _MANY and score.is_ranked:
        top = score.within(_TOP)
        yield (f"{top} of {score.count} labels are among the {_TOP} best answers "
               f"({top / score.count:.1%})")


def float_lines(result):
    """Lines comparing the float network with the quantised network."""
    floats, score = result.floats, result.score
    same = int((floats.predictions == score.predictions).sum())
    yield (f"Float network: {floats.right} of {floats.count} right ({floats.accuracy:.1%}); the "
           f"quantised one {score.accuracy:.1%}, a difference of "
           f"{100 * (score.accuracy - floats.accuracy):+.1f} points; {same} of {score.count} "
           f"answers are the same")
    yield "Both read the same inputs: elements of the quantised input, times its scale"


def noise_table(noise, width):
    """LayerNoise table for a terminal of ``width`` columns."""
    table = Table(box=None, title="Layers beside the float network", title_justify="left")
    for name in ("number", "operator"):
        table.add_column(name)
    table.add_column("name", overflow="ellipsis", no_wrap=True, ratio=1, max_width=_NAME)
    for name in ("SQNR dB", "worst", "scale"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in noise:
        table.add_row(str(row.number), row.operator, escape(plain(row.name)),
                      "exact" if row.sqnr == inf else f"{row.sqnr:.1f}", f"{row.worst:.3g}",
                      f"{row.step:.3g}")
    return table


def evaluation_json(options, result):
    """Results as JSON-serialisable values."""
    score = result.score
    return {
        "network": result.network.name, "backend": options.backend, "size": options.size,
        "inputs": score.count, "right": score.right, "accuracy": score.accuracy,
        "interval": list(score.interval), "top5": score.within(_TOP), "classes": list(result.names),
        "confusion": score.confusion.tolist(), "labels": score.labels.tolist(),
        "predictions": score.predictions.tolist(), "files": list(result.images.files),
        "equal": (result.inference.difference is None) if result.inference.facts else None,
        "float": None if result.floats is None else {
            "right": result.floats.right, "accuracy": result.floats.accuracy,
            "predictions": result.floats.predictions.tolist()},
        "layers": [{"number": row.number, "operator": row.operator, "name": row.name,
                    "sqnr": None if isinf(row.sqnr) else row.sqnr, "worst": row.worst,
                    "scale": row.step} for row in result.noise]}

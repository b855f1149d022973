# SPDX-License-Identifier: Apache-2.0
"""A classifier's score: confusion matrix, accuracy, and the label's rank among the classes."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from xymac.host.errors import InputError
from xymac.host.files.html import html_table

__all__ = ["Score", "check_labels", "class_scores", "index_scores", "score"]

_Z = 1.96  # of a normal distribution's middle 95 %


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """A classifier's answers beside the labels.

    Parameters
    ----------
    labels, predictions : int arrays (count,), class numbers
    ranks : int array (count,), how many classes have a higher score than the label's class, or the
        same score and a lower number; 0 for a right answer
    shares : float array (count,), score of the predicted class, a real value
    classes : int, class count
    is_ranked : bool, whether scores order the classes; not if the outputs are indices of classes
    """

    labels:      np.ndarray
    predictions: np.ndarray
    ranks:       np.ndarray
    shares:      np.ndarray
    classes:     int
    is_ranked:   bool = True

    def __repr__(self):
        return f"<Score: {self.right} of {self.count} right, {self.classes} classes>"

    def _repr_html_(self):
        """The confusion matrix, for notebooks."""
        return html_table(f"{repr(self)[1:-1]}; a row for each label, a column for each answer",
                          ("label", *map(str, range(self.classes))),
                          ((str(label), *map(int, row)) for label, row
                           in enumerate(self.confusion)))

    @property
    def count(self):
        """Number of inputs."""
        return len(self.labels)

    @property
    def right(self):
        """Number of right answers."""
        return self.within(1)

    def within(self, top):
        """Number of inputs with their label among the ``top`` classes with the highest scores; of
        indices the answer alone counts.
        """
        return int(np.sum(self.ranks < (top if self.is_ranked else 1)))

    @property
    def accuracy(self):
        """Share of right answers, 0 to 1."""
        return self.right / self.count

    @property
    def interval(self):
        """95 % interval for the accuracy on other inputs of the kind, by Wilson: (low, high)."""
        share, count = self.accuracy, self.count
        middle = share + _Z ** 2 / (2 * count)
        wide   = _Z * sqrt(share * (1 - share) / count + (_Z / (2 * count)) ** 2)
        return tuple((middle + sign * wide) / (1 + _Z ** 2 / count) for sign in (-1, 1))

    @cached_property
    def confusion(self):
        """Confusion matrix, int (classes, classes): inputs by label, row, and by answer, column."""
        matrix = np.zeros((self.classes, self.classes), np.int64)
        np.add.at(matrix, (self.labels, self.predictions), 1)
        return matrix

    @property
    def wrong(self):
        """Input numbers with wrong answers, an int array."""
        return np.flatnonzero(self.ranks)


def class_scores(name, values, probability=False):
    """Scores, float64 (count, classes), from an output's real values, (count, *output shape).

    A single-element output is the class 1 score against a threshold: 0.5 for a ``probability``,
    else 0; class 0 has the rest. InputError, beginning with the output's ``name``, unless an input
    has a score for each class.
    """
    count, *shape = values.shape
    flat = np.asarray(values, np.float64).reshape(count, -1)
    if shape and flat.shape[1] != shape[-1]:
        raise InputError(f"{name} is {'x'.join(map(str, shape))}: accuracy needs one score for "
                         f"each class, and this is a map, a detector's output or a sequence")
    if flat.shape[1] == 1:
        return np.concatenate([1 - flat if probability else -flat, flat], axis=1)
    return flat


def index_scores(indices, classes):
    """Scores, float64 (count, classes): 1 for the class in ``indices``, int (count,), else 0."""
    return np.eye(classes)[indices]


def check_labels(subject, labels, classes):
    """Raise InputError, beginning with ``subject``, for a label without a class."""
    if len(labels) and labels.max() >= classes:
        raise InputError(f"{subject} must be below {classes}, the classes of the output, not "
                         f"{labels.max()}")


def score(subject, labels, scores, *, is_ranked=True):
    """Score for class ``scores``, (count, classes), against ``labels``, int (count,).

    InputError, beginning with ``subject``, for a label without a class.
    """
    labels, classes = np.asarray(labels), scores.shape[1]
    check_labels(subject, labels, classes)
    own    = np.take_along_axis(scores, labels[:, np.newaxis], axis=1)
    before = np.arange(classes) < labels[:, np.newaxis]
    ranks  = np.sum((scores > own) | ((scores == own) & before), axis=1)
    best   = scores.argmax(axis=1)
    return Score(labels, best, ranks, np.take_along_axis(
        scores, best[:, np.newaxis], axis=1)[:, 0], classes, is_ranked)

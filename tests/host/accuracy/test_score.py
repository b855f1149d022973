# SPDX-License-Identifier: Apache-2.0
"""Scores of classifiers against plain loops over sorted classes."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.accuracy.score import class_scores, score
from xymac.host.errors import InputError


@pytest.mark.parametrize("classes", [2, 7, 30])
def test_a_score_counts_what_sorting_finds(classes):
    rng     = random_of(classes)
    scores  = rng.integers(0, 4, (200, classes)).astype(float)  # many are equal
    labels  = rng.integers(0, classes, 200)
    made    = score("Labels", labels, scores)
    orders  = [sorted(range(classes), key=lambda each, row=row: (-row[each], each))
               for row in scores]
    answers = [order[0] for order in orders]

    assert made.predictions.tolist() == answers
    for top in (1, 2, 5):
        assert made.within(top) == sum(label in order[:top]
                                       for label, order in zip(labels, orders, strict=True))
    for label in range(classes):
        assert made.confusion[label].tolist() == [
            sum(pair == (label, answer) for pair in zip(labels, answers, strict=True))
            for answer in range(classes)]
    assert made.right == np.trace(made.confusion) == 200 - len(made.wrong)
    assert made.shares.tolist() == scores.max(axis=1).tolist()


@pytest.mark.parametrize(("right", "count", "low", "high"), [
    (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (81, 100, 0.7222, 0.8749)])
def test_the_interval_is_that_of_wilson(right, count, low, high):
    """Values of the closed form, from tables."""
    labels = np.zeros(count, int)
    made   = score("Labels", labels, np.eye(2)[(np.arange(count) >= right).astype(int)])

    assert made.interval == pytest.approx((low, high), abs=2e-4)


def test_a_single_element_is_the_score_of_class_1():
    assert class_scores("y", np.array([[0.6], [0.5], [0.1]]), probability=True
                        ).argmax(axis=1).tolist() == [1, 0, 0]
    assert class_scores("y", np.array([[3.0], [0.0], [-1]])).argmax(axis=1).tolist() == [1, 0, 0]


def test_outputs_that_are_no_scores_are_refused():
    with pytest.raises(InputError, match=r"^y is 4x4x3: accuracy needs one score for each class"):
        class_scores("y", np.zeros((2, 4, 4, 3)))
    with pytest.raises(InputError, match=r"^Labels in x must be below 3, the classes of"):
        score("Labels in x", np.array([0, 3]), np.zeros((2, 3)))

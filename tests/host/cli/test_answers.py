# SPDX-License-Identifier: Apache-2.0
"""Lines on the answers of a network: first images, wrong ones, names, and how many are right."""

import numpy as np
import pytest

from tests.support.costs import NETWORK
from xymac.host.cli.show.answers import SHOWN, WRONG, answer_lines
from xymac.host.network.network import Images

IMAGES = np.zeros((60, 1, 8, 8), np.int8)


def lines_of(answers, labels=None, **fields):
    """Lines for a network of ten classes that gives these answers."""
    outputs = [(np.where(np.arange(10) == answer, 64, 0).astype(np.int8),) for answer in answers]
    images  = Images(IMAGES[:len(answers)], None if labels is None else np.array(labels), **fields)
    return list(answer_lines(NETWORK, outputs, images))


def test_without_labels_the_first_images_are_shown():
    lines = lines_of([3, 1] + [7] * 20)

    assert lines[0].split() == ["image", "answer", "score"]
    assert [line.split()[:2] for line in lines[1:3]] == [["0", "3"], ["1", "1"]]
    assert lines[SHOWN + 1:] == [f"... {22 - SHOWN} more images"]


def test_wrong_answers_are_shown_wherever_they_are():
    lines = lines_of([0] * 39 + [5], [0] * 40)

    assert lines[SHOWN + 1].split()[:2] == ["39", "5"]
    assert lines[SHOWN + 1].split()[-2:] == ["0", "wrong"]
    assert lines[-2:] == [f"... {39 - SHOWN} more images, all right", "39 of 40 right (97.5%)"]


def test_of_many_wrong_answers_some_are_counted_alone():
    lines = lines_of([1] * 60, [0] * 60)

    assert sum(line.endswith("  wrong") for line in lines) == WRONG
    assert lines[-2:] == [f"... {60 - WRONG} more images, {60 - WRONG} of them wrong",
                          "0 of 60 right (0.0%)"]


@pytest.mark.parametrize(("classes", "shown"), [((), "2"), (("no", "go", "stop"), "stop")])
def test_files_and_classes_have_names(classes, shown):
    lines = lines_of([2], [2], files=("/data/set/stop/7.png",), classes=classes)

    assert lines[1].split()[0] == "stop/7.png"
    assert lines[1].split()[1] == lines[1].split()[-1] == shown

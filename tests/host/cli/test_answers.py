# SPDX-License-Identifier: Apache-2.0
"""Lines on the answers of a network: first images, wrong ones, names, and how many are right."""

import numpy as np
import pytest

from tests.support.costs import NETWORK
from tests.support.tflite.wide_outputs import chosen
from xymac.host.cli.show.answers import SHOWN, WRONG, answer_lines
from xymac.host.network.inference import classify
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


@pytest.mark.parametrize(("classes", "shown"), [((), "7"), (tuple("abcdefghij"), "h")])
def test_an_index_is_the_answer(classes, shown):
    """As ARG_MAX gives it."""
    network = chosen()
    data    = np.full((2, 1, 10), -128, np.int8)
    data[:, 0, 7] = 127
    found   = classify(network, data)

    lines = list(answer_lines(network, found.outputs, Images(data, np.array([7, 2])), classes))

    assert found.predictions == [7, 7]
    assert [line.split()[:2] for line in lines[:3]] == [
        ["image", "answer"], ["0", shown], ["1", shown]]
    assert "score" not in lines[0]
    assert lines[2].endswith("wrong")
    assert lines[-1] == "1 of 2 right (50.0%)"

# SPDX-License-Identifier: Apache-2.0
"""Labels from folders, CSV files and arrays, and sentences where there are none."""

from pathlib import Path

import numpy as np
import pytest

from tests.host.network.test_images import relu, save
from tests.host.network.test_pixels import PIXELS, draw
from xymac.host.accuracy.data import load_labelled, read_classes
from xymac.host.errors import InputError

NETWORK = relu((1, 4, 3, 3))


@pytest.fixture
def folder(tmp_path):
    """A folder of image files of three classes."""
    for name in ("cat", "dog", "eel"):
        (tmp_path / "data" / name).mkdir(parents=True)
        draw(tmp_path / "data" / name / "1.png", PIXELS)
    return tmp_path / "data"


def test_folders_are_classes(folder):
    images = load_labelled(folder, NETWORK)

    assert (images.labels.tolist(), images.classes) == ([0, 1, 2], ("cat", "dog", "eel"))


def test_classes_give_the_order(folder, tmp_path):
    (tmp_path / "names.txt").write_text("eel\ncat\n\nant\ndog\n")
    classes = read_classes(tmp_path / "names.txt")

    images = load_labelled(folder, NETWORK, classes=classes)

    assert (images.labels.tolist(), images.classes) == ([1, 3, 0], ("eel", "cat", "ant", "dog"))
    with pytest.raises(InputError, match=r"must be among eel, cat, not 'dog'$"):
        load_labelled(folder, NETWORK, classes=("eel", "cat"))


@pytest.mark.parametrize("text", [
    "file,label\ncat/1.png,4\neel/1.png,0\ndog/1.png,2\n", "dog/1.png,2\neel/1.png, 0\ncat/1.png,4",
    "label\n4\n2\n0\n", "4\n2\n0", "Name;Class\neel/1.png;0\ncat/1.png;4\ndog/1.png;2\n",
    "file name\tcategory\ndog/1.png\t2\neel/1.png\t0\ncat/1.png\t4\n",
    "image,what it shows\ndog/1.png,2\neel/1.png,0\ncat/1.png,4\n"])
def test_a_csv_file_has_the_labels(text, folder, tmp_path):
    (tmp_path / "labels.csv").write_text(text)

    images = load_labelled(folder, NETWORK, labels=tmp_path / "labels.csv")

    assert images.labels.tolist() == [4, 2, 0]


def test_labels_alone_are_in_the_order_of_numbers_in_names(tmp_path):
    """10.png comes after 2.png, and folder b10 after b2."""
    names = ["1.png", "2.png", "010.png", "10.png", "b2/x9.png", "b2/x9b.png", "b2/x11.png",
             "b10/x1.png"]
    for place in (tmp_path / "flat", tmp_path / "deep"):
        for name in names[4:] if place.name == "deep" else names[:4]:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            draw(place / name, PIXELS)
    (tmp_path / "labels.csv").write_text("0\n1\n2\n3\n")

    for place, wanted in (("flat", names[:4]), ("deep", names[4:])):
        images = load_labelled(tmp_path / place, NETWORK, labels=tmp_path / "labels.csv")

        assert [str(Path(file).relative_to(tmp_path / place)) for file in images.files] == wanted
        assert images.labels.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("name", "content"), [
    ("l.npy", np.array([1, 0])), ("l.npz", {"y": np.array([1, 0]), "z": np.zeros(3)})])
def test_arrays_have_labels_of_their_own(name, content, tmp_path):
    path = save(tmp_path / "x.npy", np.zeros((2, 4, 3, 3), np.int8))

    images = load_labelled(path, NETWORK, labels=save(tmp_path / name, content))

    assert images.labels.tolist() == [1, 0]


@pytest.mark.parametrize(("name", "text", "message"), [
    ("l.csv", "a,b,c\n", "l.csv must have the columns file and label, or label alone, not 3 col"),
    ("l.csv", "", "must have a row for each input, and has none$"),
    ("l.csv", "a.png,1\nb.png,1\n", "must have labels alone, one for each input in order"),
    ("l.txt", "1\n", r"l\.txt must have a label for each of 2 inputs, not 1; names of classes are"),
    ("l.csv", "-1\n0\n", r"^Labels in .*l.csv must be at least 0, not -1$"),
    ("l.json", "[]", r"The file of labels must end in \.csv, \.npy or \.npz, not"),
    (None, "", r"x\.npy has no labels: name a folder for each class")])
def test_labels_that_cannot_be_used(name, text, message, tmp_path):
    path = save(tmp_path / "x.npy", np.zeros((2, 4, 3, 3), np.int8))
    if name:
        (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=message):
        load_labelled(path, NETWORK, labels=name and tmp_path / name)


def test_a_file_without_a_label_is_named(folder, tmp_path):
    (tmp_path / "labels.csv").write_text("1.png,3\n")
    assert load_labelled(folder, NETWORK, labels=tmp_path / "labels.csv").labels.tolist() == [3] * 3
    (tmp_path / "labels.csv").write_text("cat/1.png,3\n")

    with pytest.raises(InputError, match=r"labels\.csv has no label of .*dog/1\.png$"):
        load_labelled(folder, NETWORK, labels=tmp_path / "labels.csv")
    (tmp_path / "twice.txt").write_text("a\na\n")
    with pytest.raises(InputError, match=r"must have a line for each class, and no name twice$"):
        read_classes(tmp_path / "twice.txt")

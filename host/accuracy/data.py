# SPDX-License-Identifier: Apache-2.0
"""Labelled inputs: labels from folders, from the input file, or from a separate file."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np

from xymac.host.errors import InputError
from xymac.host.files.arrays import find_only, load_array, load_arrays
from xymac.host.files.reading import read_text
from xymac.host.network.inputs.images import load_inputs
from xymac.host.network.inputs.labels import number_labels
from xymac.host.plural import plural

__all__ = ["load_labelled", "read_classes"]

_HEADS = {"class", "category", "label", "labels", "target", "y"}  # label column heads
_KEYS  = ("labels", "label", "y", "y_test")


def read_classes(path):
    """Class names, a str tuple: a text file's lines, class 0 first."""
    names = tuple(line.strip() for line in read_text(path).splitlines() if line.strip())
    if len(set(names)) != len(names) or not names:
        raise InputError(f"{path} must have a line for each class, and no name twice")
    return names


def load_labelled(path, network, *, labels=None, classes=(), pixels=None):
    """The Images in ``path`` with labels; InputError if there are none.

    Parameters
    ----------
    path : file or folder as in ``load_inputs``
    labels : label file, or None for the labels in ``path``: ``.csv`` with columns file and label,
        or label alone in input order; ``.npy``; ``.npz`` with ``labels``
    classes : class names in number order
    pixels : PixelRange, or None
    """
    images, found = load_inputs(path, network, pixels)
    what = f"Labels in {labels or path}"
    if labels is not None:
        found = _read_labels(Path(labels), images)
    if found is None:
        raise InputError(f"{path} has no labels: name a folder for each class, an .npz file with "
                         f"'images' and 'labels', or a file of --labels")
    numbers, classes = number_labels(what, found, images.count, classes)
    if len(numbers) and numbers.min() < 0:
        raise InputError(f"{what} must be at least 0, not {numbers.min()}")
    return replace(images, labels=numbers, classes=classes)


def _read_labels(path, images):
    """Labels, an array in image order."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return load_array(path)
    if suffix == ".npz":
        labels = find_only(path, "labels", load_arrays(path, _KEYS), _KEYS)
        if labels is None:
            raise InputError(f"{path} holds no labels: the key 'labels' is missing")
        return labels
    if suffix in (".csv", ".tsv", ".txt"):
        return _order(path, _read_rows(path), images)
    raise InputError(f"The file of labels must end in .csv, .npy or .npz, not {path}")


def _read_rows(path):
    """Rows of a cell or two, separated by commas, semicolons or tabs, without a head."""
    lines = read_text(path).splitlines()
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((each for each in "\t;" if each in first and "," not in first), ",")
    rows = [[cell.strip() for cell in row]
            for row in csv.reader(lines, delimiter=delimiter) if any(row)]
    if rows and rows[0][-1].lower() in _HEADS:
        rows = rows[1:]
    if not rows:
        raise InputError(f"{path} must have a row for each input, and has none")
    widths = {len(row) for row in rows}
    if widths not in ({1}, {2}):
        counts = ", ".join(map(str, sorted(widths)))
        raise InputError(f"{path} must have the columns file and label, or label alone, not "
                         f"{counts} columns")
    return rows


def _order(path, rows, images):
    """Labels in image order."""
    if len(rows[0]) == 1:
        if len(rows) != images.count:
            raise InputError(f"{path} must have a label for each of "
                             f"{plural(images.count, 'input')}, not {len(rows)}; names of classes "
                             "are given by --classes")
        return np.array([label for [label] in rows])
    if not images.files:
        raise InputError(f"{path} must have labels alone, one for each input in order: the inputs "
                         f"are an array and have no file names")
    labels = {}
    for file, label in rows:
        if labels.setdefault(file, label) != label:
            raise InputError(f"{path} must have one label of {file}, not {labels[file]} and "
                             f"{label}")
    if not any(Path(file).suffix for file in labels):
        raise InputError(f"{path} must have the columns file and label in this order: its first "
                         f"column names no file, as in {rows[0][0]!r}")
    found  = [_find(path, labels, Path(file)) for file in images.files]
    return np.array(found)


def _find(path, labels, file):
    """An image file's label: by its path as it is, or by the path's end."""
    parts = file.parts
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        if name in labels:
            return labels[name]
    raise InputError(f"{path} has no label of {file}")

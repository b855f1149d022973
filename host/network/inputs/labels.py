# SPDX-License-Identifier: Apache-2.0
"""Class numbers of labelled inputs, from arrays or class names."""

import re

import numpy as np

from xymac.host.errors import InputError

__all__ = ["number_labels", "number_texts"]

_SHOWN  = 10  #: Class names in a sentence.
_NUMBER = re.compile(r"-?\d{1,99}")
_LIMIT  = 1 << 63  #: Above every int64.


def number_labels(what, labels, count, classes=()):
    """Convert labels to class numbers.

    Parameters
    ----------
    what : str, subject of an error sentence, such as "Labels in x.npz"
    labels : integers, integral floating-point numbers or strings, shape (count,) or (count, 1); or
        a one-hot array (count, classes)
    count : int, number of inputs
    classes : known class names by class number, a sequence of str

    Returns (class numbers, int64 (count,); class names, a tuple of str, empty if unknown).
    InputError for other arrays.
    """
    labels = np.asarray(labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim == 2 and labels.dtype.kind in "iubf" and _is_one_hot(labels):
        labels = labels.argmax(axis=1)
    if labels.shape != (count,):
        raise InputError(f"{what} must have shape ({count},), not {labels.shape}")
    if labels.dtype.kind in "US":
        return number_texts(what, [str(text) for text in labels.astype(str)], classes)
    if labels.dtype.kind not in "iubf" or not np.all(labels == np.floor(labels)):
        raise InputError(f"{what} must be integers or texts, not {labels.dtype}"
                         f"{' with fractions' * (labels.dtype.kind == 'f')}")
    return _as_int64(what, labels.tolist()), tuple(classes)


def _as_int64(what, labels):
    """Integral numbers as int64, an array; InputError beyond 64 bits."""
    wide = next((label for label in labels if not -_LIMIT <= label < _LIMIT), None)
    if wide is not None:
        raise InputError(f"{what} must have at most 64 bits, not {wide}")
    return np.array([int(label) for label in labels], np.int64)


def _is_one_hot(labels):
    return labels.shape[1] > 1 and bool(np.all(np.sort(labels, axis=1)[:, :-1] == 0)
                                        and np.all(labels.max(axis=1) == 1))


def number_texts(what, texts, classes=()):
    """``number_labels`` for a list of str: names from ``classes``, or decimal class numbers.

    Without ``classes``, names that are not all numbers get class numbers in alphabetical order.
    """
    known = {name: number for number, name in enumerate(classes)}
    if all(text in known or _NUMBER.fullmatch(text) for text in texts):
        return _as_int64(what, [known[text] if text in known else int(text)
                                for text in texts]), tuple(classes)
    if classes:
        wrong = next(text for text in texts if text not in known)
        more  = ", ..." * (len(classes) > _SHOWN)
        raise InputError(f"{what} must be among {', '.join(classes[:_SHOWN])}{more}, "
                         f"not {wrong!r}")
    names = sorted(set(texts))
    return np.array([names.index(text) for text in texts], np.int64), tuple(names)

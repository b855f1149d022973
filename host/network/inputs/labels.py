# SPDX-License-Identifier: Apache-2.0
"""Labels of inputs: class numbers from arrays, or from names of classes."""

import re

import numpy as np

from xymac.host.errors import InputError

__all__ = ["number_labels", "number_texts"]

_SHOWN  = 10  #: Class names in a sentence.
_NUMBER = re.compile(r"-?\d+")


def number_labels(what, labels, count, classes=()):
    """(class numbers, int array (count,); class names, a tuple of str, perhaps empty).

    Parameters
    ----------
    what : str, subject of a sentence, such as "Labels in x.npz"
    labels : array of integers or whole floating-point numbers, shape (count,) or (count, 1); of
        texts, the same; or one-hot, (count, classes)
    count : int, number of inputs
    classes : class names in order of their numbers, if they are known

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
    return labels.astype(np.int64), tuple(classes)


def _is_one_hot(labels):
    return labels.shape[1] > 1 and bool(np.all(np.sort(labels, axis=1)[:, :-1] == 0)
                                        and np.all(labels.max(axis=1) == 1))


def number_texts(what, texts, classes=()):
    """The same for a list of str: names among ``classes``, or class numbers.

    Without ``classes``, whole numbers are class numbers; other names are numbered in alphabetical
    order.
    """
    known = {name: number for number, name in enumerate(classes)}
    if all(text in known or _NUMBER.fullmatch(text) for text in texts):
        return np.array([known[text] if text in known else int(text) for text in texts],
                        np.int64), tuple(classes)
    if classes:
        wrong = next(text for text in texts if text not in known)
        more  = ", ..." * (len(classes) > _SHOWN)
        raise InputError(f"{what} must be among {', '.join(classes[:_SHOWN])}{more}, "
                         f"not {wrong!r}")
    names = sorted(set(texts))
    return np.array([names.index(text) for text in texts], np.int64), tuple(names)

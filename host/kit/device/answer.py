# SPDX-License-Identifier: Apache-2.0
"""A device's result for a case, or the reason for its absence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .packing import UnknownBitsError, read

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["Answer", "describe_error", "take_answer"]

_TOP = 1 << 63  #: Exclusive limit of results.


@dataclass(frozen=True, eq=False)
class Answer:
    """A device's result.

    Parameters
    ----------
    values : int64 array in the case's shape, or None; for a network also a tuple of layer arrays
    failure : str, a sentence with operation and case if ``values`` is None
    """

    values:  Any
    failure: str = ""


def take_answer(case: Case, given: Any) -> Answer:
    """Answer from ``given``, a function's or coroutine's return value for a Case.

    Parameters
    ----------
    given : array, list of ints or simulator values; for a network also a dict or a list with all
        layer outputs
    """
    try:
        if case.operation == "network" and isinstance(given, dict | list | tuple):
            return Answer(_layers(case, given))
        return Answer(_fit(_shape(_integers(given), case.shape), case.dtype))
    except (UnknownBitsError, TypeError, ValueError, KeyError) as error:
        return Answer(None, describe_error(case, error))


def describe_error(case: Case, error: object) -> str:
    """A sentence about ``error``, the str or Exception that ended a Case."""
    where, words = f"{case.operation} of {case.dialect}, case {case.name}", str(error)
    if isinstance(error, UnknownBitsError):
        words = f"unknown bits: {words}"
    elif not isinstance(error, str | _AnswerError):
        words = f"{type(error).__name__}: {words}"
    return f"{where}: {' '.join(words.split())}"


class _AnswerError(ValueError):
    """An invalid answer."""


def _integers(given):
    """An int64 array; simulator values are read."""
    if given is None:
        raise _AnswerError("nothing was returned")
    plain = _plain(given)
    try:
        array = np.asarray(plain)
    except ValueError:  # numpy's words are on its own arrays
        raise _AnswerError("an array or lists of equal lengths must be returned, not lists of "
                           "different lengths") from None
    if array.dtype == object and array.size:
        first = next((each for each in array.flat if not isinstance(each, int)), 0)
        if not isinstance(first, int):
            raise _AnswerError(f"integers must be returned, not {_kind(first)}")
    elif array.dtype.kind not in "iu":
        name = {"U": "str", "S": "bytes"}.get(array.dtype.kind, array.dtype)
        raise _AnswerError(f"integers must be returned, not {name}")
    wide = [value for value in (array.min(), array.max()) if not -_TOP <= int(value) < _TOP
            ] if array.size else []
    if wide:
        raise _AnswerError(f"integers of 64 bits must be returned, not {wide[0]}")
    return array.astype(np.int64)


def _kind(value):
    """Words on the type of a value that is no integer."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _plain(given):
    """Simulator values as ints, also within lists; other values unchanged."""
    if hasattr(given, "is_resolvable") or hasattr(given, "_handle"):
        return read(given)
    if isinstance(given, np.ndarray):
        return _plain(given.tolist()) if given.dtype == object else given
    return [_plain(each) for each in given] if isinstance(given, list | tuple) else given


def _shape(array, shape):
    """The array in ``shape``; a flat array with all elements is reshaped."""
    if array.shape == shape or array.shape == (int(np.prod(shape)),):
        return array.reshape(shape)
    raise _AnswerError(f"the result must have shape {shape}, not {array.shape}")


def _fit(array, dtype):
    """The array, if ``dtype`` has room for its values."""
    limits = np.iinfo(dtype)
    wide   = array[(array < limits.min) | (array > limits.max)]
    if wide.size:
        raise _AnswerError(f"{int(wide[0])} is no {dtype}")
    return array


def _layers(case, given):
    """All network layers' outputs, in order."""
    network = case.layer
    if isinstance(given, dict):
        missing = [name for name in network.names if name not in given]
        if missing:
            raise _AnswerError(f"there is no output of layer {missing[0]}")
        given = [given[name] for name in network.names]
    if len(given) != len(network.nodes):
        raise _AnswerError(f"there are {len(network.nodes)} layers, but {len(given)} outputs")
    blanks = [value.data for value in network.values[network.first:]]
    return tuple(_fit(_shape(_integers(each), blank.shape), blank.dtype)
                 for each, blank in zip(given, blanks, strict=True))

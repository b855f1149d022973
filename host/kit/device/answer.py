"""What a device gave for a case, or why it gave nothing."""

from dataclasses import dataclass

import numpy as np

from .packing import UnknownBitsError, read

__all__ = ["Answer", "describe_error", "take_answer"]

_TOP = 1 << 63  #: No result is that high.


@dataclass(frozen=True, eq=False)
class Answer:
    """What a device gave.

    Parameters
    ----------
    values : array of int64 of the shape that the case asks for, or None; of a network also a tuple
        of them, one a layer
    failure : str, one sentence on the operation and the case where ``values`` is None
    """

    values:  object
    failure: str = ""


def take_answer(case, given):
    """The Answer that ``given`` is, whatever a function or coroutine returned for a Case.

    Parameters
    ----------
    given : array, list of ints or of values of the simulator; of a network a dict or a list of the
        outputs of all layers, too
    """
    try:
        if case.operation == "network" and isinstance(given, dict | list | tuple):
            return Answer(_layers(case, given))
        return Answer(_shape(_integers(given), case.expected().shape))
    except (UnknownBitsError, TypeError, ValueError, KeyError) as error:
        return Answer(None, describe_error(case, error))


def describe_error(case, error):
    """One sentence on an exception, a str or Exception, that a Case ended with."""
    where, words = f"{case.operation} of {case.dialect}, case {case.name}", str(error)
    if isinstance(error, UnknownBitsError):
        words = f"unknown bits: {words}"
    elif not isinstance(error, str | _AnswerError):
        words = f"{type(error).__name__}: {words}"
    return f"{where}: {' '.join(words.split())}"


class _AnswerError(ValueError):
    """An answer that is none."""


def _integers(given):
    """An int64 array; values of a simulator are read."""
    if given is None:
        raise _AnswerError("nothing was returned")
    array = np.asarray(_plain(given))
    if array.dtype == object and array.size:
        first = array.flat[0]
        if not isinstance(first, int):
            raise _AnswerError(f"integers must be returned, not a {type(first).__name__}")
    elif array.dtype.kind not in "iu":
        raise _AnswerError(f"integers must be returned, not {array.dtype}")
    wide = [value for value in (array.min(), array.max()) if not -_TOP <= int(value) < _TOP
            ] if array.size else []
    if wide:
        raise _AnswerError(f"integers of 64 bits must be returned, not {wide[0]}")
    return array.astype(np.int64)


def _plain(given):
    """Values of a simulator as ints, within lists or not; all else as it is."""
    if hasattr(given, "is_resolvable") or hasattr(given, "_handle"):
        return read(given)
    if isinstance(given, np.ndarray):
        return _plain(given.tolist()) if given.dtype == object else given
    return [_plain(each) for each in given] if isinstance(given, list | tuple) else given


def _shape(array, shape):
    """The array in a shape; one with all elements in a row has it."""
    if array.shape == shape or array.shape == (int(np.prod(shape)),):
        return array.reshape(shape)
    raise _AnswerError(f"the result must have shape {shape}, not {array.shape}")


def _layers(case, given):
    """Outputs of all layers of a network, in their order."""
    network = case.layer
    if isinstance(given, dict):
        missing = [name for name in network.names if name not in given]
        if missing:
            raise _AnswerError(f"there is no output of layer {missing[0]}")
        given = [given[name] for name in network.names]
    if len(given) != len(network.nodes):
        raise _AnswerError(f"there are {len(network.nodes)} layers, but {len(given)} outputs")
    shapes = [value.shape for value in network.values[network.first:]]
    return tuple(_shape(_integers(each), shape)
                 for each, shape in zip(given, shapes, strict=True))

# SPDX-License-Identifier: Apache-2.0
"""Calls of the libraries' functions by name, legal and with a single other value: how they end."""

import tempfile
import warnings
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from tests.support.calls import lib_nn_random, mli1, mli2, mli2_built
from tests.support.calls.moves import TYPES, move_of
from tests.support.calls.parts import PARTS, part_of
from xymac.golden.api.mli1.functions import Mli as Mli1
from xymac.golden.api.mli2.functions import Mli as Mli2
from xymac.golden.api.xs3.functions import LibNn
from xymac.golden.api.xs3.prototypes import SYMMETRIC
from xymac.golden.mli2 import Build
from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.operations import DIALECTS
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.write.vectors import write_vectors
from xymac.host.vectors.files import read_arrays, read_cases

__all__ = ["CALLS"]

_DRAWN = 6   #: Drawn calls of a function.
_MOST  = 90  #: Wrong values in a function's first call.
#: Operations of the kit that are written as calls.
_WRITTEN = ("conv2d", "depthwise_conv2d", "fully_connected", "average_pool", "max_pool", "add",
            "sub", "mul", "relu", "sigmoid", "tanh", "softmax")
_VALUES = -1, 0, 1, 2, 3, 7, 8, 31, 255, 70_000, 1 << 33, None, "x", 1.5, (), (1, 2)


def _call(function, args):
    """(how a call ends, what its arguments hold afterwards)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            status = function(**args)
        except Exception as error:
            return type(error).__name__, None
    return str(getattr(status, "name", "computed")), (status, args)


def _letter(how):
    """A letter for the end of a call: a small one without a status."""
    name = how.removeprefix("MLI_STATUS_")
    return name[0] if name != how else how[0].lower()


def _places(value, path=()):
    """Paths of the fields and entries inside an argument."""
    if is_dataclass(value):
        for field in fields(value):
            yield from _places(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple | list):
        yield path
        for number, each in enumerate(value):
            yield from _places(each, (*path, number))
    elif not isinstance(value, np.ndarray):
        yield path


def _get(value, path):
    for name in path:
        value = value[name] if isinstance(name, int) else getattr(value, name)
    return value


def _put(args, path, value):
    """Put a value in the place ``path`` of arguments, a dict."""
    name, *rest = path
    if not rest:
        args[name] = value
        return
    owner = _get(args[name], rest[:-1])
    if isinstance(rest[-1], str):
        setattr(owner, rest[-1], value)
    elif isinstance(owner, list):
        owner[rest[-1]] = value
    else:
        _put(args, path[:-1], (*owner[:rest[-1]], value, *owner[rest[-1] + 1:]))


def _wrong(args):
    """(path, value) of other values in places of arguments, a dict."""
    wrong = [((name, *path), value) for name, each in args.items() for path in _places(each)
             for value in _VALUES]
    return wrong[::-(-len(wrong) // _MOST)]


def _near(args):
    """(path, value) of every whole number in arguments, a dict, less 1 and plus 1."""
    for name, each in args.items():
        for path in _places(each):
            value = _get(each, path)
            if isinstance(value, int | np.integer) and not isinstance(value, bool):
                yield from (((name, *path), int(value) + step) for step in (-1, 1))


def _changed(function, make, changes):
    """Yield how calls end, see ``_call``, with a change of ``changes`` in ``make()``'s arguments.
    """
    for path, value in changes(make()):
        args = make()
        try:
            _put(args, path, value)
        except (TypeError, ValueError):  # the field takes no such value
            continue
        yield _call(function, args)


def _mli1_calls(name):
    for number in range(3):
        make = partial(mli1.arguments, name, np.random.default_rng(number))
        yield name, Mli1(debug="DBG_MODE_RET_CODES").function(name), make


@cache
def _written(dialect, kind, operation):
    """(vector case, its arrays) of drawn cases of an operation; none if it has no such type."""
    try:
        cases = generate(Supports(operation, dialect, kind, {}), _DRAWN).cases
    except InputError:
        return []
    with tempfile.TemporaryDirectory() as folder:
        write_vectors(Path(folder) / "cases", cases)
        return [(case, read_arrays(case)) for case in read_cases(Path(folder) / "cases")]


def _mli2_calls(kind, operation):
    for number, (case, arrays) in enumerate(_written("mli-2", kind, operation)):
        [expected] = case.expected.values()
        wanted     = arrays[expected["out"]]

        def make(case=case, arrays=arrays, wanted=wanted, number=number):
            rng  = np.random.default_rng(number) if number % 2 else None
            args = mli2.arguments(case, arrays, rng)
            return args | {"out": mli2.destination(case, wanted, rng)[0]}

        build = [*Build][number % len(Build)]
        yield case.function, mli2.CHECKED[build].function(case.function), make


def _mli2_built(name):
    for number, build in enumerate(Build):
        args = mli2_built.legal(name, number)
        yield name, mli2.CHECKED[build].function(name), lambda args=args: args


def _mli2_parts(number):
    name, make_part, whole, shape = PARTS[number]
    function = mli2.CHECKED[Build.UP_FULL].function(name)
    names    = ["in_", "weights", "bias", "cfg", "out"] if "conv2d" in name else ["in_", "cfg",
                                                                                  "out"]
    yield name, lambda **args: function(*args.values()), lambda: dict(zip(
        names, part_of(make_part, whole, shape)[0], strict=True))


def _mli2_moves(name):
    for number in range(_DRAWN):
        yield name, Mli2(debug="DBG_MODE_RET_CODES").mli_mov_tensor_sync, lambda number=number: (
            dict(zip(("src", "cfg", "dst"), move_of(name, number), strict=True)))


def _xs3_calls(name):
    for number in range(_DRAWN):
        function = LibNn(symmetric=SYMMETRIC if number % 2 else ()).function(name)

        def make(number=number):
            args, target, shape, dtype = lib_nn_random.random_call(
                name, np.random.default_rng([number, *name.encode()]))
            return args | {target: np.full((2, *shape), 77, dtype)}

        yield name, function, make


def _groups():
    """Pairs of a group's name and a function that yields (function's name, function, function
    that makes its arguments).
    """
    yield from ((f"mli1 {name}", partial(_mli1_calls, name)) for name in mli1.NAMES)
    yield from ((f"mli2 {kind} {operation}", partial(_mli2_calls, kind, operation))
                for operation, kind in product(_WRITTEN, DIALECTS["mli-2"]))
    yield from ((f"mli2 part {number}", partial(_mli2_parts, number))
                for number in range(len(PARTS)))
    yield from ((f"mli2 move {name}", partial(_mli2_moves, name)) for name in TYPES)
    yield from ((f"xs3 {name}", partial(_xs3_calls, name)) for name in lib_nn_random.NAMES)


def _lines(calls, changes):
    """Lines of calls, and of the first with ``changes``, a dict of functions by title."""
    for number, (name, function, build) in enumerate(calls()):
        def make(build=build):
            return deepcopy(build())

        yield f"{name} {number}", _call(function, make())
        if number == 0:
            for title, change in changes.items():
                how, held = zip(*_changed(function, make, change), strict=True)
                yield title, ("".join(_letter(each) for each in how), held)


#: By group name a function that yields (call's name, (how it ends, what its arguments hold)).
CALLS = {
    **{name: partial(_lines, calls, {"wrong": _wrong, "near": _near}) for name, calls in _groups()},
    **{f"mli2 {name}": partial(_lines, partial(_mli2_built, name), {"near": _near})
       for name in mli2_built.NAMES}}

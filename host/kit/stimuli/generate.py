# SPDX-License-Identifier: Apache-2.0
"""Generate a requested number of cases for an operation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from xymac.host.errors import InputError, check_int, check_type
from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.limits import find_excess
from xymac.host.kit.operations import UNSIGNED
from xymac.host.plural import plural

from . import accumulate, mli1, mli2, moves, recurrent, tflm, xs3
from .aim import aim_bias, aim_product
from .blame import find_blame
from .draw import Draw, NoCaseError
from .reach import TELLING, draw_large, draw_way, products_of_way, reach
from .requantise import draw_requantise
from .unsigned import OFFSET, signed_limits, unsigned_notes

__all__ = ["Stimuli", "generate"]

_GENERATORS = {
    name: own | moves.GENERATORS.get(name, {}) | recurrent.GENERATORS.get(name, {})
    for name, own in (("tflm", tflm.GENERATORS | accumulate.GENERATORS), ("mli-1", mli1.GENERATORS),
                      ("mli-2", mli2.GENERATORS), ("xs3", xs3.GENERATORS))}
_NONE  = "There are no cases of {0.operation} in {0.dialect} of type {0.type}"
_TRIES = 200  #: Consecutive unusable draws before the limits count as empty,
_WAY_TRIES   = 16  #: Draws with sums that go a way before the limits count as too narrow for it.
_LARGE_TRIES = 8  #: Draws with a large size before the limits count as too narrow for it.
_MANY  = 2000  #: more if functions limit them, as draws do not follow these.


@dataclass(frozen=True, repr=False)
class Stimuli:
    """Cases, and the drawn values.

    Parameters
    ----------
    cases : tuple of Case
    hits : {quantity: {value: draw count}}, 0 included
    left_out : {quantity: values outside the limits}
    """

    cases:    tuple
    hits:     dict
    left_out: dict

    def __repr__(self) -> str:
        return (f"<Stimuli: {plural(len(self.cases), 'case')}, "
                f"{plural(len(self.hits), 'quantity', 'quantities')}, "
                f"{len(self.left_out)} with values left out>")


class _EmptyError(InputError):
    """No case within the limits."""


def generate(support: Supports, count: int, seed: int = 0) -> Stimuli:
    """Stimuli with ``count`` cases for a Supports, edges first; reproducible from ``seed``.

    InputError if the kit cannot draw such cases, or the limits leave none.
    """
    check_type("support", support, Supports)
    check_int("count", count, 0)
    check_int("seed", seed, 0)
    tries = _MANY if any(map(callable, support.limits.values())) else _TRIES
    try:
        return _draw_all(support, count, seed, tries)
    except _EmptyError as error:
        if not support.limits:
            raise InputError(_NONE.format(support)) from None
        raise InputError(f"The limits of {support.title} leave no case: {error}"
                         f"{find_blame(support, partial(_has_case, support, seed))}") from None


def _has_case(support, seed, limits):
    """Whether other limits leave a case."""
    try:
        return bool(_draw_all(replace(support, limits=limits), 1, seed, _TRIES).cases)
    except InputError:
        return False


def _draw_all(support, count, seed, tries):
    """``generate``; _EmptyError after ``tries`` draws without a case."""
    make = _find_generator(support)
    kind, offset = ("int8", OFFSET) if support.type == "uint8" else (support.type, 0)
    draw = Draw(np.random.default_rng([seed, *support.title.encode()]),
                signed_limits(support) if offset else support.limits, offset)
    cases, misses = [], 0
    while len(cases) < count:
        case   = _draw_case(support, draw, make, kind, len(cases), misses)
        draw.close(counts=case is not None)
        misses = 0 if case is not None else misses + 1
        if case is not None:
            cases.append(case)
        if misses == tries:
            raise _EmptyError(f"{tries} draws had none")
    if offset:
        return Stimuli(tuple(cases), *unsigned_notes(support, draw))
    return Stimuli(tuple(cases), {name: dict(hits) for name, hits in draw.hits.items()},
                   draw.left_out)


def _draw_case(support, draw, make, kind, number, misses):
    """Case ``number`` after so many ``misses``; None if the draw is not usable."""
    offset = OFFSET if support.type == "uint8" else 0
    try:
        draw.way = draw_way(draw, support, number) if misses < _WAY_TRIES else ""
        draw.products = products_of_way(draw, support) if draw.way else 0
        if not draw.way and misses < _LARGE_TRIES:
            draw.large, draw.products = draw_large(support, number)
        else:
            draw.large = ""
        draw.is_telling = bool(draw.large) and support.operation in TELLING
        layer, *inputs = make(draw, kind)
        case = Case(support.operation, support.dialect, f"{support.operation} {number}", layer,
                    _flat(inputs))
        case = reach(draw, case) if draw.way else aim_product(draw, aim_bias(draw, case))
        case = replace(case, offset=offset) if offset else case
        return case if _is_usable(case, support, draw) else None
    except InputError:
        raise
    except (NoCaseError, OverflowError, ValueError):
        return None


def _find_generator(support):
    if support.type == "uint8" and support.operation not in UNSIGNED:
        raise InputError(_NONE.format(support))
    if support.operation == "requantise":
        return partial(draw_requantise, dialect=support.dialect)
    known = _GENERATORS[support.dialect]
    if support.operation not in known:
        raise InputError(f"There are no cases of {support.operation} in {support.dialect}, only "
                         f"of requantise, {', '.join(known)}")
    return known[support.operation]


def _flat(inputs):
    return inputs[0] if isinstance(inputs[0], tuple) else tuple(inputs)


def _is_usable(case, support, draw):
    """Whether a case is within the limits, golden accepts it, and its sums fit the library's
    accumulator.

    InputError if the operation's cases do not have the requested type.
    """
    if case.type != support.type:
        raise InputError(_NONE.format(support))
    excess = find_excess(support, case)
    if excess is not None:
        if not case.offset and not draw.large:  # whose Draw has other numbers
            draw.leave_out(*excess)
        return False
    if case.operation == "requantise" or case.operation in SUMMING:
        return True
    return not case.run_layer().overflow

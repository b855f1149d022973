# SPDX-License-Identifier: Apache-2.0
"""Reference vectors run on a backend and compared with the library's results."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial

import numpy as np

from xymac import golden
from xymac.host.device.device import DeviceError, open_device
from xymac.host.device.link import BoardError
from xymac.host.errors import Refusal, check_type
from xymac.host.plan.run import run_layer

from .files import Case, VectorError, read_arrays
from .mli1 import build_layer, helper_values

__all__ = [
    "CheckReport",
    "FunctionReport",
    "Mismatch",
    "build_layer",
    "check_cases",
    "open_evaluator",
]

#: Result fields by expected output name.
_OUTPUTS = {"out": "output", "Y": "output", "cell": "cell"}


@dataclass(frozen=True)
class Mismatch:
    """A case's first difference: ``index`` into the output, or None if shape or type differ."""

    case:     str
    variant:  str
    index:    tuple | None
    expected: int | str
    actual:   int | str
    config:   dict


@dataclass
class FunctionReport:
    """A function's counts, over all variants of its cases; ``reasons`` for refused and skipped
    checks.
    """

    dialect:    str
    function:   str
    cases:      int = 0
    passed:     int = 0
    refused:    int = 0
    skipped:    int = 0
    overflows:  int = 0
    mismatches: list = field(default_factory=list)
    reasons:    list = field(default_factory=list)

    def note(self, reason):
        """Keep a reason once."""
        if reason not in self.reasons:
            self.reasons.append(reason)


@dataclass(frozen=True)
class CheckReport:
    """``check_cases`` outcome: a ``FunctionReport`` per function, in order of appearance."""

    functions: list

    @property
    def passed(self):
        """Number of checks with equal output."""
        return sum(row.passed for row in self.functions)

    @property
    def failed(self):
        """Number of checks with different output or a refusal."""
        return sum(len(row.mismatches) + row.refused for row in self.functions)

    @property
    def skipped(self):
        """Number of checks whose function or variant is unknown here or on the backend."""
        return sum(row.skipped for row in self.functions)

    @property
    def summary(self):
        """The last line for a user."""
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    @property
    def exit_code(self):
        """0 if everything passed, else 1."""
        return int(self.failed + self.skipped > 0)

    def as_json(self):
        """Everything as JSON-serialisable values."""
        return {"passed": self.passed, "failed": self.failed, "skipped": self.skipped,
                "functions": [asdict(row) for row in self.functions]}


def _first_difference(case, variant, expected, actual):
    """``Mismatch`` between two arrays, or None if they are equal."""
    report = partial(Mismatch, case=case.id, variant=variant, config=case.config)
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return report(index=None, expected=f"{expected.dtype} {expected.shape}",
                      actual=f"{actual.dtype} {actual.shape}")
    if np.array_equal(expected, actual):
        return None
    index = tuple(int(i) for i in np.argwhere(expected != actual)[0])
    return report(index=index, expected=int(expected[index]), actual=int(actual[index]))


def _differences(case, variant, arrays, inputs, result):
    """Yield a ``Mismatch`` for every differing expected output and helper value."""
    for name, key in case.expected[variant].items():
        output = getattr(result, _OUTPUTS.get(name, ""), None)
        if output is None:
            raise VectorError(f"{case.function} has no output {name!r}, which {case.id} expects")
        difference = _first_difference(case, variant, arrays[key], output.data)
        if difference is not None:
            yield difference
    for name, actual in helper_values(case, inputs).items():
        if actual != case.config.get(name):
            yield Mismatch(case.id, variant, None, f"{name} {case.config.get(name)}",
                           f"{name} {actual}", case.config)


def _build(case, variant, arrays):
    """``build_layer`` for an unchecked case; ValueError for unfit content."""
    try:
        return build_layer(case, variant, arrays)
    except (OverflowError, ValueError):
        raise
    except Exception as error:
        raise ValueError(f"the case is damaged: {str(error) or type(error).__name__}") from error


def _check(case, variant, arrays, evaluate, row):
    """Run a case in a single variant and count the outcome in ``row``."""
    row.cases += 1
    try:
        call = _build(case, variant, arrays)
        if call is None:
            row.skipped += 1
            row.note(f"{case.function} ({case.dialect}, {variant}) is not available")
            return
        result = _evaluate(case, evaluate, *call)
    except (VectorError, BoardError):
        raise
    except (OverflowError, ValueError, DeviceError) as error:
        if isinstance(error, Refusal) and error.kind.needs_golden:
            row.skipped += 1
            row.note(f"{case.id} ({variant}) has a golden model, but no passes: {error}")
        else:
            row.refused += 1
            row.note(f"{case.id}: {error}")
        return
    row.overflows += bool(result.overflow)
    differences = list(_differences(case, variant, arrays, call[1:], result))
    if differences:
        row.mismatches.append(differences[0])
    else:
        row.passed += 1


def _evaluate(case, evaluate, layer, *inputs):
    """A layer's Result; VectorError if the layer refuses the types in the case."""
    try:
        return evaluate(layer, *inputs)
    except TypeError:
        try:
            layer.check(*inputs)
        except TypeError as error:
            raise VectorError(f"Case {case.id} cannot be run: {error}") from error
        raise


def check_cases(cases, evaluate, *, variant=None, progress: Callable[[Case], None] | None = None):
    """Run every case, in every variant or only in ``variant``, and compare; returns a CheckReport.

    ``evaluate(layer, *inputs)`` returns a golden Result, or an object with the fields that the
    kernel needs. It raises a Refusal that ``needs_golden`` to skip a check, another ValueError or
    DeviceError to refuse it. A BoardError ends the check. ``progress(case)`` is called after each
    case. VectorError for a damaged case.
    """
    check_type("cases", cases, list, tuple, hint=": read_cases reads a folder")
    rows = {}
    for case in cases:
        row = rows.setdefault((case.dialect, case.function),
                              FunctionReport(case.dialect, case.function))
        arrays = read_arrays(case)
        for name in case.expected if variant is None else (variant,):
            _check(case, name, arrays, evaluate, row)
        if progress is not None:
            progress(case)
    return CheckReport(list(rows.values()))


@contextmanager
def open_evaluator(backend, config, **options):
    """Context of an ``evaluate(layer, *inputs)`` for ``check_cases``.

    ``backend`` is ``golden`` or a device name, opened with the CoreConfig ``config`` and its
    ``options``.
    """
    if backend == "golden":
        yield golden.run
    else:
        with open_device(backend, config, **options) as device:
            yield partial(run_layer, device, c_order=True)

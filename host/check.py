"""Reference vectors run on a backend and compared with what the library returned."""

import re
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from operator import index

import numpy as np

import golden
from golden import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Relu, Tensor
from hdl.isa import RoundMode

from .device import DeviceError, open_device
from .runner import run_layer
from .vectors import Case, VectorError, read_arrays

__all__ = [
    "FunctionReport", "Mismatch", "Report", "build_layer", "check_cases", "open_evaluator",
]

#: Rounding of a variant of the expected outputs.
_ROUNDING = {"convergent": RoundMode.CONVERGENT, "up": RoundMode.UP}
#: Element types of input, weights and bias by the type in a function's name.
_TYPES = {"fx8": ("int8", "int8", "int8"), "fx16": ("int16", "int16", "int16"),
          "fx8w16d": ("int16", "int8", "int8")}
#: Kernel and type, then what names a specialised version of the same kernel.
_FUNCTION = re.compile(rf"mli_krn_(\w+?)_({'|'.join(_TYPES)})(?:_\w+)?")


@dataclass(frozen=True)
class Mismatch:
    """First difference of one case: ``index`` into the output, or None if shape or type differ."""

    case:     str
    variant:  str
    index:    tuple | None
    expected: int | str
    actual:   int | str
    config:   dict


@dataclass
class FunctionReport:
    """Counts for one function; every variant of a case counts. ``reasons``: of refused, skipped."""

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
class Report:
    """Outcome of ``check_cases``: a ``FunctionReport`` per function, in order of appearance."""

    functions: list

    @property
    def passed(self):
        """Checks whose output was equal."""
        return sum(row.passed for row in self.functions)

    @property
    def failed(self):
        """Checks whose output differed or that were refused."""
        return sum(len(row.mismatches) + row.refused for row in self.functions)

    @property
    def skipped(self):
        """Checks of functions or variants that are not known here."""
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


def _ints(config, template, *names):
    return tuple(index(config[template.format(name)]) for name in names)


def _convolution(kind, layout, case, operands, rounding):
    config = case.config["cfg"]
    return kind(*operands, case.config["frac"]["out"],
                stride=_ints(config, "stride_{}", "height", "width"),
                pad=_ints(config, "padding_{}", "top", "bottom", "left", "right"),
                relu=Relu(config["relu"]), layout=layout, rounding=rounding)


def _dense(case, operands, rounding):
    return FullyConnected(*operands, case.config["frac"]["out"], rounding=rounding)


#: What builds the layer of a kernel, by dialect and by the name between ``mli_krn_`` and the type.
_KERNELS = {
    ("mli-1", "conv2d_chw"):           partial(_convolution, Conv2d, Layout.CHW),
    ("mli-1", "conv2d_hwc"):           partial(_convolution, Conv2d, Layout.HWC),
    ("mli-1", "depthwise_conv2d_chw"): partial(_convolution, DepthwiseConv2d, Layout.CHW),
    ("mli-1", "fully_connected"):      _dense,
}


def _resolve(case):
    """Builder and element types for ``case``, or None if its function is not known."""
    named = _FUNCTION.fullmatch(case.function)
    builder = _KERNELS.get((case.dialect, named[1])) if named else None
    return (builder, _TYPES[named[2]]) if builder else None


def build_layer(case, variant, arrays):
    """Layer and input Tensor of ``case``, or None if its function or ``variant`` is not known.

    VectorError if the case lacks what its function needs; ValueError for what a Tensor refuses.
    """
    resolved = _resolve(case)
    if resolved is None or variant not in _ROUNDING:
        return None
    builder, types = resolved
    try:
        data = [arrays[case.inputs[name]] for name in "xwb"]
        if tuple(str(array.dtype) for array in data) != types:
            raise VectorError(f"Inputs of {case.id} must be {', '.join(types)}, not "
                              f"{', '.join(str(array.dtype) for array in data)}")
        x, *operands = (Tensor(array, case.config["frac"][name])
                        for name, array in zip("xwb", data, strict=True))
        return builder(case, operands, _ROUNDING[variant]), x
    except (KeyError, TypeError) as error:
        raise VectorError(f"Case {case.id} is incomplete: {error}") from error


def _first_difference(case, variant, expected, actual):
    """``Mismatch`` of two arrays, or None if they are equal."""
    report = partial(Mismatch, case=case.id, variant=variant, config=case.config)
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return report(index=None, expected=f"{expected.dtype} {expected.shape}",
                      actual=f"{actual.dtype} {actual.shape}")
    if np.array_equal(expected, actual):
        return None
    index = tuple(int(i) for i in np.argwhere(expected != actual)[0])
    return report(index=index, expected=int(expected[index]), actual=int(actual[index]))


def _check(case, variant, arrays, evaluate, row):
    """Run one variant of a case and count the outcome in ``row``."""
    row.cases += 1
    try:
        call = build_layer(case, variant, arrays)
        if call is None:
            row.skipped += 1
            row.note(f"{case.function} ({case.dialect}, {variant}) is not available")
            return
        output, overflow = evaluate(*call)
    except VectorError:
        raise
    except (ValueError, DeviceError) as error:
        row.refused += 1
        row.note(f"{case.id}: {error}")
        return
    if "out" not in case.expected[variant]:
        raise VectorError(f"Case {case.id} has no expected output 'out' for {variant}")
    row.overflows += bool(overflow)
    difference = _first_difference(case, variant, arrays[case.expected[variant]["out"]],
                                   output.data)
    if difference is None:
        row.passed += 1
    else:
        row.mismatches.append(difference)


def check_cases(cases, evaluate, *, variant=None, progress: Callable[[Case], None] | None = None):
    """Run every case, in every variant it has or only in ``variant``, and compare.

    ``evaluate(layer, x)`` returns (Tensor, overflow) and raises ValueError or DeviceError to
    refuse; ``progress(case)`` is called after each case. Returns a Report; VectorError for a
    damaged case.
    """
    rows = {}
    for case in cases:
        row = rows.setdefault((case.dialect, case.function),
                              FunctionReport(case.dialect, case.function))
        arrays = read_arrays(case)
        for name in case.expected if variant is None else (variant,):
            _check(case, name, arrays, evaluate, row)
        if progress is not None:
            progress(case)
    return Report(list(rows.values()))


def _evaluate_golden(layer, x):
    result = golden.run(layer, x)
    return result.output, result.overflow


def _evaluate_on(device, layer, x):
    run = run_layer(device, layer, x)
    return run.output, run.overflow


@contextmanager
def open_evaluator(backend, config):
    """Context of an ``evaluate(layer, x) -> (Tensor, overflow)`` for ``check_cases``.

    ``backend`` is ``golden`` or the name of a device, opened with the CoreConfig ``config``.
    """
    if backend == "golden":
        yield _evaluate_golden
    else:
        with open_device(backend, config) as device:
            yield partial(_evaluate_on, device)

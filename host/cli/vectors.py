# SPDX-License-Identifier: Apache-2.0
"""``xymac vectors``: write test vectors of an operation, for simulators and boards of your own."""

import inspect
from math import ceil, prod

import numpy as np

from xymac.host.errors import InputError
from xymac.host.files import fill_folder
from xymac.host.kit.device.adapter import Supports, load_adapter
from xymac.host.kit.facts import facts_of
from xymac.host.kit.limits import check_quantity
from xymac.host.kit.moved import MOVES, RECURRENT
from xymac.host.kit.operations import DIALECTS, OPERATIONS
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.write.cocotb import BENCH as COCOTB
from xymac.host.kit.write.cocotb import write_cocotb
from xymac.host.kit.write.readmemh import BENCH, write_readmemh
from xymac.host.kit.write.vectors import write_vectors
from xymac.host.plural import plural

from .command import Command, natural, positive

__all__ = ["COMMAND"]

_RANKS      = (1, 2, 3, 4)  #: Of inputs of operations that move elements.
_DIMENSIONS = {1: ("channels",), 2: ("height", "channels"), 3: ("height", "width", "channels")}
#: Quantities whose values may be words, and quantities that a case does not hold.
_WORDS    = ("bias", "scales", "activation", "layout", "rounding", "build")
_CONTENTS = ("input", "weights")
#: Quantities whose values may be large, and limits of the others and of inputs.
_LARGE    = ("input_zero", "output_zero", "low", "high", "multiplier", "shift", *_CONTENTS)
_SIZE     = 1 << 16
_MOST     = 1 << 20  #: Elements of the smallest input, and values of a list.
_MOST_WEIGHTS = 1 << 24
#: Quantities whose product is the elements of an input, after the elements themselves; and of the
#: weights beside the channels.
_INPUT  = ("elements", "steps", "batches", *_DIMENSIONS[3])
_KERNEL = ("outputs", "kernel_height", "kernel_width")


def _add_arguments(parser):
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write")
    parser.add_argument("--kernel", choices=[name for name in OPERATIONS if name != "network"],
                        required=True, help="operation")
    parser.add_argument("--dialect", choices=tuple(DIALECTS), required=True,
                        help="library whose results are expected")
    parser.add_argument("--type", metavar="NAME",
                        help="data type (default: the first type of the dialect)")
    parser.add_argument("--count", type=positive, metavar="N", default=100,
                        help="cases (default: 100)")
    parser.add_argument("--shapes", metavar="HxWxC", nargs="+", default=[],
                        help="only inputs of these shapes: HxWxC, HxC or C; for operations "
                             "that move elements 1 to 4 sizes, as in 2x8x8x3")
    parser.add_argument("--limit", metavar="QUANTITY=VALUES", action="append", default=[],
                        help="only these values, as in channels=1..8,16, or another quantity, as "
                             "in low==output_zero; can be repeated")
    parser.add_argument("--adapter", metavar="FILE",
                        help="the limits that an adapter of the kit has for the operation")
    parser.add_argument("--seed", type=natural, metavar="N", default=0, help="default: 0")
    parser.add_argument("--readmemh", action="store_true",
                        help=f"files of $readmemh and {BENCH} in place of an index.json")
    parser.add_argument("--cocotb", action="store_true",
                        help=f"the same files and {COCOTB}, a test of cocotb")


def _execute(options, console):
    asked  = _read_limits(options.limit)
    limits = _limits_of(options) | asked
    plain  = not options.readmemh and not options.cocotb
    if options.dialect == "xs3" and plain:  # whose vectors have no field for another value
        limits.setdefault("low", (-128, -32768))
    kind   = options.type or DIALECTS[options.dialect][0]
    shapes = [_read_shape(text, options.kernel) for text in options.shapes] or [{}]
    _check_shapes(options.kernel, limits, asked, shapes)
    cases  = []
    for number, shape in enumerate(shapes):
        support = Supports(options.kernel, options.dialect, kind, limits | shape)
        drawn   = generate(support, ceil(options.count / len(shapes)), options.seed + number).cases
        _check_drawn(shape, drawn)
        cases  += drawn
    cases = cases[:options.count]
    _check_known(asked, cases[0])
    with fill_folder(options.output) as folder:
        if plain:
            write_vectors(folder, cases)
        if options.readmemh:
            write_readmemh(folder, cases)
        if options.cocotb:
            write_cocotb(folder, cases)
    outputs = sum(case.expected().size for case in cases)
    console.print(f"Written to {options.output}: {plural(len(cases), 'case')} of {options.kernel}, "
                  f"{options.dialect} {kind}, {plural(outputs, 'output')}",
                  markup=False, soft_wrap=True)
    return 0


def _limits_of(options):
    """The adapter's limits for the operation, {} without an adapter."""
    if options.adapter is None:
        return {}
    kind = options.type or DIALECTS[options.dialect][0]
    for support in load_adapter(options.adapter).supports:
        if (support.operation, support.dialect, support.type) == (
                options.kernel, options.dialect, kind):
            return dict(support.limits)
    raise InputError(f"The adapter {options.adapter} does not support {options.kernel} of "
                     f"{options.dialect} {kind}")


def _relate(quantity, other):
    """Function limiting a quantity to another quantity's value."""
    def relation(**facts):
        return facts[quantity] == facts[other]
    relation.__signature__ = inspect.Signature([
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in (quantity, other)])
    return relation


def _read_limits(texts):
    """Limits by quantity, from the options; InputError for a repeated quantity."""
    limits = {}
    for text in texts:
        quantity, limit = _read_limit(text)
        if quantity in limits:
            raise InputError(f"A quantity must have one --limit, {quantity} has two")
        limits[quantity] = limit
    return limits


def _read_limit(text):
    """(quantity, values) from an option: a range, a tuple, or a relation to another quantity."""
    quantity, equals, values = text.partition("=")
    if not equals or not values.removeprefix("="):
        raise InputError(f"A limit must be like channels=1..8,16 or low==output_zero, not "
                         f"{text!r}")
    check_quantity(quantity)
    if values.startswith("="):
        check_quantity(values[1:])
        return quantity, _relate(quantity, values[1:])
    parts = [_read_values(quantity, part) for part in values.split(",")]
    count = sum(map(len, parts))
    if len(parts) == 1:
        return quantity, parts[0]
    if count > _MOST:
        raise InputError(f"A list of values of {quantity} must have at most {_MOST:,}, not "
                         f"{count:,}; one range may have more")
    return quantity, tuple(value for part in parts for value in part)


def _read_values(quantity, text):
    """A range of ints or a tuple of a single value, between two commas of a limit."""
    first, dots, last = text.partition("..")
    try:
        values = range(int(first), int(last) + 1) if dots else (int(first),)
    except ValueError:
        if quantity in _WORDS and text and not dots:
            return (text,)
        kind = "words" if quantity in _WORDS else "ints, as in 1..8,16"
        raise InputError(f"The values of {quantity} must be {kind}, not {text!r}") from None
    if quantity in _WORDS and quantity != "scales":
        raise InputError(f"The values of {quantity} must be words, not {text!r}")
    if not values:
        raise InputError(f"A range of {quantity} must go from low to high, not {text!r}")
    if quantity not in _LARGE and values[-1] > _SIZE:
        raise InputError(f"The values of {quantity} must be at most {_SIZE:,}, not "
                         f"{values[-1]:,}")
    return values


def _check_shapes(kernel, limits, asked, shapes):
    """Raise InputError if ``--shapes`` and ``--limit`` bind the same quantity, or if the smallest
    input or the smallest weights are large.
    """
    for shape in shapes:
        twice = [name for name in shape if name in asked]
        if twice:
            raise InputError(f"Either --shapes or --limit must bind {twice[0]}, not both")
        least = {name: max(1, min(limit)) for name, limit in (limits | shape).items()
                 if name in (*_INPUT, *_KERNEL) and not callable(limit)}
        least |= {"elements": prod(shape["shape"][0])} if "shape" in shape else {}
        sizes = {name: least.get(name, 1) for name in (*_INPUT, *_KERNEL)}
        inner = sizes["channels"] + (sizes["outputs"] if kernel in RECURRENT else 0)
        _check_count("input", max(sizes["elements"], prod(sizes[name] for name in _INPUT[1:])),
                     _MOST)
        _check_count("weights", (1 if kernel == "depthwise_conv2d" else inner) * prod(
            sizes[name] for name in _KERNEL), _MOST_WEIGHTS)


def _check_count(name, count, most):
    """Raise InputError for an array of too many elements."""
    if count > most:
        raise InputError(f"The smallest {name} must have at most {most:,} elements, not {count:,}")


def _check_known(asked, case):
    """Raise InputError for a limit of a quantity missing from the cases."""
    unknown = [name for name in asked if name not in (*facts_of(case), *_CONTENTS)]
    if unknown:
        raise InputError(f"Cases of {case.operation} have no {unknown[0]} to limit, only "
                         f"{', '.join(facts_of(case))}")


def _check_drawn(shape, cases):
    """Raise InputError if inputs of the operation have no such shape: a limit of a quantity that
    a case has not holds for all cases.
    """
    wanted = tuple(limit[0] for limit in shape.values())
    for case in cases if "shape" not in shape else ():
        found = np.shape(getattr(case.inputs[0], "data", case.inputs[0]))
        known = facts_of(case)
        if not all(name in known for name in shape) and len(wanted) > 1 and found != wanted:
            raise InputError(f"Inputs of {case.operation} must have shapes such as "
                             f"{'x'.join(map(str, found))}, not {'x'.join(map(str, wanted))}")


def _read_shape(text, kernel):
    """Shape limits."""
    sizes = text.lower().split("x")
    ranks = _RANKS if kernel in MOVES else _DIMENSIONS
    if len(sizes) not in ranks or not all(size.isdecimal() and int(size) for size in sizes):
        example = "2x8x8x16" if kernel in MOVES else "8x8x16"
        raise InputError(f"A shape must be like {example}, not {text!r}")
    if kernel in MOVES:
        return {"shape": (tuple(map(int, sizes)),)}
    return {name: (int(size),) for name, size in zip(_DIMENSIONS[len(sizes)], sizes, strict=True)}


COMMAND = Command(
    __doc__,
    example="xymac vectors -o build/vectors --kernel conv2d --dialect tflm --count 20 "
            "--shapes 8x8x3 5x7x16",
    add_arguments=_add_arguments, execute=_execute)

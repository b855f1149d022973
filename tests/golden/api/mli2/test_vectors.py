# SPDX-License-Identifier: Apache-2.0
"""The functions of MLI 2.0 by their names against outputs of the library itself."""

from functools import cache

import numpy as np
import pytest

from tests.support.calls.mli2 import CHECKED, OK, VECTORS, arguments, destination, params
from tests.support.seed import random_of
from xymac.golden.api.mli2.memory import read, strides_of, write
from xymac.golden.api.mli2.names import PRIMITIVES
from xymac.golden.api.mli2.types import format_of, mli_tensor
from xymac.golden.mli2 import Build
from xymac.host.vectors.files import read_arrays, read_cases

CASES  = read_cases(VECTORS)
BUILDS = tuple(Build)


@cache
def cases_of(function):
    """Cases of a function, some if there are many."""
    cases = [case for case in CASES if case.function == function]
    return cases[::7] if len(cases) > 12 else cases


def in_memory(places, tensor):
    """Places that count the elements of a tensor as those in its memory."""
    strides = strides_of(tensor.shape, tensor.mem_stride)
    steps = [sum(index * step for index, step in zip(place, strides, strict=True))
             for place in np.ndindex(tensor.shape)]
    return np.array(steps, np.int32)[places]


def inputs_of(args):
    """Tensors that a call reads."""
    for name, value in args.items():
        if name != "out":
            yield from (tensor for tensor in (value if isinstance(value, list) else [value])
                        if isinstance(tensor, mli_tensor) and tensor.rank)


def check(case, build, rng=None):
    """Run a case by its documented name; outputs and all that is around them."""
    arrays = read_arrays(case)
    wanted = {key: arrays[name] for key, name in case.expected[build.value].items()}
    args   = arguments(case, arrays, rng)
    if "argmax" in case.function and rng is not None:
        wanted["out"] = in_memory(wanted["out"], args["in_"])
    args["out"], buffer, part = destination(case, wanted["out"], rng)
    strides  = args["out"].mem_stride
    expected = buffer.copy()
    expected[part] = wanted["out"]
    el_type  = args["out"].el_type
    cell   = read(args["cell"]).copy() if "cell" in args else None
    before = [(tensor, tensor.data.mem.pi8.tobytes()) for tensor in inputs_of(args)]

    assert CHECKED[build].function(case.function)(**args) is OK, case.id

    np.testing.assert_array_equal(buffer, expected, case.id)
    out = args["out"]
    assert (out.shape, out.rank, out.mem_stride) == (
        wanted["out"].shape, wanted["out"].ndim, strides)
    assert out.el_type == el_type
    if "cell" in wanted:
        np.testing.assert_array_equal(read(args["cell"]), wanted["cell"], case.id)
        write(args["cell"], cell)
    assert all(tensor.data.mem.pi8.tobytes() == memory for tensor, memory in before), case.id
    kind = format_of(out)
    if "out" in case.config.get("quant", {}):
        out.el_params = params(case.config["quant"]["out"])
        assert kind == format_of(out), case.id


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("function", sorted({case.function for case in CASES}))
def test_names_compute_what_the_library_computed(function, strided):
    for number, case in enumerate(cases_of(function)):
        rng = random_of(number) if strided else None
        check(case, BUILDS[number % 3], rng)


def test_vectors_have_every_function_with_a_type():
    names = {case.function for case in CASES}
    assert len(names) == len(names & {
        "mli_hlp_convert_tensor", *(f"mli_krn_{name}{layout}_{kind}" for name, primitive in
                                    PRIMITIVES.items() for layout in
                                    (f"_{primitive.layouts[0]}" if primitive.layouts else "",)
                                    for kind in primitive.types)})

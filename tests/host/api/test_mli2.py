# SPDX-License-Identifier: Apache-2.0
"""The functions of MLI 2.0 by name, run as passes on the golden machine."""

from functools import cache

import numpy as np
import pytest

from tests.support.calls.mli2 import OK, VECTORS, arguments, destination, fx, sa
from tests.support.calls.mli2_built import legal
from tests.support.calls.moves import TYPES, move_of, moved
from tests.support.calls.parts import PARTS, part_of
from tests.support.calls.strided import tensors_of
from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import (
    mli_argmax_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_results,
)
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.memory import read, write
from xymac.golden.api.mli2.types import mli_element_type, mli_tensor
from xymac.golden.mli2 import Build
from xymac.hdl.config import BASE
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.vectors.files import read_arrays, read_cases

CASES  = read_cases(VECTORS)
BUILDS = tuple(Build)


@pytest.fixture(scope="module")
def device():
    with MachineDevice(BASE) as opened:
        yield opened


@cache
def case_of(function):
    return next(case for case in CASES if case.function == function)


def check(library, build, case, rng):
    """Call the function of a case with strided tensors; the output and all that is around it."""
    arrays = read_arrays(case)
    wanted = {key: arrays[name] for key, name in case.expected[build.value].items()}
    args   = arguments(case, arrays, rng)
    args["out"], buffer, part = destination(case, wanted["out"], rng)
    expected = buffer.copy()
    expected[part] = wanted["out"]
    cell = read(args["cell"]).copy() if "cell" in args else None

    assert library.function(case.function)(**args) is OK

    np.testing.assert_array_equal(buffer, expected)
    if "cell" in wanted:
        np.testing.assert_array_equal(read(args["cell"]), wanted["cell"])
        write(args["cell"], cell)


@pytest.mark.parametrize("function", sorted({case.function for case in CASES
                                             if "argmax" not in case.function}))
def test_a_device_takes_strided_tensors_and_leaves_what_is_between(function, device):
    build = BUILDS[len(function) % len(BUILDS)]
    library = on_device(device, Mli, build=build, debug="DBG_MODE_RET_CODES")

    check(library, build, case_of(function), random_of(len(function)))


def test_what_has_no_passes_is_refused_and_nothing_is_written():
    case   = case_of("mli_krn_relu_sa8")
    args   = arguments(case, read_arrays(case))
    args["out"], buffer, _ = destination(case, read_arrays(case)[case.expected["up-full"]["out"]])
    before = buffer.copy()

    def refuse(*operands):
        raise Refusal(RefusalKind.OPERATOR, "There are no passes")

    with pytest.raises(ValueError, match=r"^mli_krn_relu_sa8: There are no passes$"):
        Mli(evaluate=refuse).mli_krn_relu_sa8(**args)
    np.testing.assert_array_equal(buffer, before)


def both(device, name, build_args):
    """Bytes of the memory that a call leaves, on golden and on the device, and its status."""
    results = []
    for library in (Mli(debug="DBG_MODE_RET_CODES"),
                    on_device(device, Mli, debug="DBG_MODE_RET_CODES")):
        args, memory = build_args()
        results.append((library.function(name)(*args), memory.tobytes()))
    return results


def channels(first, last, rng=7, dtype=np.int16, size=9):
    """A buffer of images, full of random elements, and two ranges of its channels as tensors."""
    limits = np.iinfo(dtype)
    buffer = random_of(rng).integers(limits.min, limits.max, (5, 6, size), dtype, endpoint=True)
    params = fx(7) if dtype is np.int16 else sa(3, 20000, 14)
    return buffer, *(mli_tensor(buffer[..., part], el_params=params) for part in (first, last))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize(("first", "last"), [
    (np.s_[2:5], np.s_[2:5]),    # in place
    (np.s_[2:5], np.s_[6:9]),    # in the gaps of the other
    (np.s_[6:9], np.s_[0:3]),
    (np.s_[0:9:2], np.s_[0:9:2]),
    (np.s_[0:8:2], np.s_[1:9:2])])
def test_inputs_and_outputs_share_memory(first, last, dtype, device):
    def build():
        buffer, x, out = channels(first, last, dtype=dtype)
        return (x, mli_relu_cfg(mli_relu_type.MLI_RELU_6), out), buffer

    kind = "fx16" if dtype is np.int16 else "sa8"
    by_golden, by_device = both(device, f"mli_krn_relu_{kind}", build)

    assert by_golden == by_device
    assert by_golden[0] is OK


@pytest.mark.parametrize(("first", "last"), [(np.s_[2:5], np.s_[6:9]),
                                             (np.s_[0:9:3], np.s_[1:9:3])])
def test_two_inputs_and_an_output_in_one_buffer(first, last, device):
    def build():
        buffer, one, other = channels(first, last)
        return (one, other, one), buffer

    by_golden, by_device = both(device, "mli_krn_eltwise_sub_fx16", build)

    assert by_golden == by_device
    assert by_golden[0] is OK


def test_a_view_that_overlaps_its_input_is_refused_by_both(device):
    def build():
        buffer, x, out = channels(np.s_[2:5], np.s_[3:6])
        return (x, mli_relu_cfg(mli_relu_type.MLI_RELU_6), out), buffer

    by_golden, by_device = both(device, "mli_krn_relu_fx16", build)

    assert by_golden == by_device
    assert by_golden[0] is not OK


@pytest.mark.parametrize("gaps", [True, False])
def test_places_of_the_largest_count_the_gaps_of_the_input(gaps, device):
    def build():
        part   = random_of(8).integers(-999, 999, (2, 3, 7), np.int16)[..., 2:5]
        x      = mli_tensor(part if gaps else part.copy(), el_params=fx(7))
        places = np.full((1, 5), 77, np.int32)
        out    = mli_tensor(places[:, 1:4], el_type=mli_element_type.MLI_EL_SA_32, el_params=sa())
        return (x, mli_argmax_cfg(-1, 3), out), places

    by_golden, by_device = both(device, "mli_krn_argmax_fx16", build)

    assert by_golden == by_device
    assert by_golden[0] is OK


@pytest.mark.parametrize(("name", "make", "whole", "shape"), PARTS)
def test_a_smaller_output_is_written_in_part(name, make, whole, shape, device):
    by_golden, by_device = both(device, name, lambda: part_of(make, whole, shape))

    assert by_golden == by_device
    assert by_golden[0] is OK


@pytest.mark.parametrize("name", [
    "mli_krn_fully_connected_fx16", "mli_krn_lstm_cell_fx16", "mli_krn_gru_cell_fx16",
    "mli_krn_lstm_cell_sa8_sa8_sa32"])
def test_shapes_of_any_length_and_outputs_of_one_dimension(name, device):
    def build():
        args = legal(name)
        for tensor in tensors_of(args):
            tensor.shape = (*tensor.shape, *(0,) * (4 - tensor.rank))
        if "cell" in name:
            args["cfg"].results = mli_rnn_results.RNN_OUT_LAST
            args["out"].shape, args["out"].rank = args["prev_out"].shape, 1
            args["out"].mem_stride = (1, 0, 0, 0)
        return (*args.values(),), args["out"].data.mem.memory

    by_golden, by_device = both(device, name, build)

    assert by_golden == by_device
    assert by_golden[0] is OK


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_moves_are_those_of_plain_loops(name, gaps, device):
    library = on_device(device, Mli, debug="DBG_MODE_RET_CODES")
    for number in range(10):
        src, cfg, dst = move_of(name, number, gaps=gaps)
        memory, shape, strides = moved(src, cfg, dst)

        assert library.mli_mov_tensor_sync(src, cfg, dst) is OK

        assert dst.data.mem.memory.tobytes() == memory.tobytes(), number
        assert (dst.shape[:dst.rank], dst.mem_stride[:dst.rank]) == (shape, strides)


@pytest.mark.parametrize("kind", ["fx16", "sa8_sa8_sa32"])
def test_a_cell_writes_its_output_and_state_between_other_elements(kind, device):
    """The output lies where the output before did, and that between the elements of the state."""
    name = f"mli_krn_lstm_cell_{kind}"

    def build():
        args   = arguments(case_of(name), read_arrays(case_of(name)))
        before = [read(args[key]).copy() for key in ("prev_out", "cell")]
        memory = np.full((before[0].size, 3), 77, before[0].dtype)
        for column, (key, values) in enumerate(zip(("prev_out", "cell"), before, strict=True)):
            memory[:, column] = values
            args[key] = mli_tensor(memory[:, column], el_params=args[key].el_params)
        args["cfg"].results = mli_rnn_results.RNN_OUT_LAST
        args["out"] = mli_tensor(memory[None, :, 0], el_params=(
            fx(15) if kind == "fx16" else sa(0, 1, 7)))
        return (*args.values(),), memory

    by_golden, by_device = both(device, name, build)

    assert by_golden == by_device
    assert by_golden[0] is OK

# SPDX-License-Identifier: Apache-2.0
"""Moves of tensors of MLI 2.0 against plain loops, element by element."""

import numpy as np
import pytest

from tests.support.calls.mli2 import OK, PATTERN, fx, sa
from tests.support.calls.moves import TYPES, move_of, moved
from xymac.golden import run
from xymac.golden.api.mli2 import functions as mli
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.memory import read
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t, mli_mov_handle_t, mli_mov_state
from xymac.golden.api.mli2.types import format_of, mli_element_type, mli_tensor
from xymac.golden.mli2 import Affine

LIBRARY = Mli(debug="DBG_MODE_RET_CODES")
NONE    = (0,) * 4
DATA    = np.arange(1, 61, dtype=np.int16).reshape(3, 4, 5)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_elements_go_where_loops_put_them(name, gaps):
    for number in range(40):
        src, cfg, dst = move_of(name, number, gaps=gaps)
        memory, shape, strides = moved(src, cfg, dst)
        before = src.data.mem.memory.tobytes()

        assert LIBRARY.mli_mov_tensor_sync(src, cfg, dst) is OK, number

        assert dst.data.mem.memory.tobytes() == memory.tobytes(), number
        rank = src.rank
        assert (dst.rank, dst.shape, dst.mem_stride) == (
            rank, (*shape, *(1,) * (4 - rank)), (*strides, *(0,) * (4 - rank)))
        assert (dst.el_type, format_of(dst)) == (src.el_type, format_of(src))
        assert src.data.mem.memory.tobytes() == before


def filled(name, *arguments):
    """A configuration that a function fills, whatever it held."""
    cfg = mli_mov_cfg_t(*((9,) * 4 for _ in range(8)))
    assert LIBRARY.function(f"mli_mov_cfg_{name}")(cfg, *arguments) is OK
    return cfg


def move(cfg, data=DATA, shape=None, strides=NONE):
    """What a move makes of data."""
    dst = mli_tensor(np.full(400, PATTERN, data.dtype), shape or NONE, strides, rank=0)
    assert LIBRARY.mli_move(mli_tensor(data, el_params=fx(3)), cfg, dst) is OK
    return read(dst)


@pytest.mark.parametrize(("name", "arguments", "wanted"), [
    ("for_copy", (), DATA),
    ("for_slice", ((1, 0, 2, 0), (2, 4, 3, 0), NONE), DATA[1:, :, 2:]),
    ("for_slice", ((1, 2, 0, 0), (1, 0, 2, 0), (20, 7, 2, 0)), DATA[1:2, 2:, :2]),
    ("for_subsample", ((2, 1, 3, 1), NONE), DATA[::2, :, ::3]),
    ("for_permute", ((2, 0, 1, 3),), DATA.transpose(2, 0, 1)),
    ("for_padding2d_hwc", (1, 2, 3, 4, NONE), np.pad(DATA, ((3, 4), (1, 2), (0, 0)))),
    ("for_padding2d_chw", (1, 2, 3, 4, NONE), np.pad(DATA, ((0, 0), (3, 4), (1, 2)))),
    ("all", ((0, 1, 0, 0), NONE, (1, 2, 1, 1), NONE, NONE, (1, 0, 2, 3), 0, 0, 1, 2),
     np.pad(DATA, ((1, 2), (0, 0), (0, 0)))[:, 1::2].transpose(1, 0, 2))])
def test_functions_fill_a_configuration(name, arguments, wanted):
    np.testing.assert_array_equal(move(filled(name, *arguments)), wanted)


def test_two_tensors_are_joined():
    memory = np.full((5, 4), PATTERN, np.int8)
    parts  = np.arange(8, dtype=np.int8).reshape(2, 4), np.arange(12, dtype=np.int8).reshape(3, 4)
    for part, start in zip(parts, (0, 2), strict=True):
        dst = mli_tensor(memory)
        cfg = filled("for_concat", (start, 0, 0, 0), (4, 1, 0, 0))
        assert LIBRARY.mli_mov_tensor_sync(mli_tensor(part), cfg, dst) is OK
    assert dst.shape == (5, 4, 1, 1)
    np.testing.assert_array_equal(memory, np.concatenate(parts))


def test_a_whole_of_the_same_shape_is_copied_whatever_the_offsets():
    """As the library does, where memory without gaps becomes memory without gaps."""
    cfg = mli_mov_cfg_t(offset=(1, 0, 0, 0), dst_offset=(1, 0, 0, 0))
    np.testing.assert_array_equal(move(cfg, shape=(1, 0, 0, 0)), DATA)


@pytest.mark.parametrize(("shape", "step", "parts"), [
    ((4, 3), 1, 1), ((4, 3), 2, 2), ((4, 1), 1, 1), ((4, 1), 2, 2), ((1, 1), 3, 1)])
def test_words_move_whole_or_as_two_halves(shape, step, parts):
    """Halves move apart only if words in the last dimension of more than one lie apart."""
    made  = []
    words = np.arange(999, 999 + np.prod(shape) * step, dtype=np.int32)[::step].reshape(shape)

    def evaluate(layer, *operands, **options):
        made.append(layer)
        return run(layer, *operands, **options)
    src   = mli_tensor(words if step > 1 else words.copy(), el_params=sa())
    if shape == (1, 1):
        src.mem_stride = (step, step, 0, 0)
    dst   = mli_tensor(np.zeros(shape, np.int32), el_params=sa())
    moves = Mli(debug="DBG_MODE_RET_CODES", evaluate=evaluate)
    assert moves.mli_mov_tensor_sync(src, mli_mov_cfg_t(), dst) is OK
    np.testing.assert_array_equal(read(dst), words)
    assert len(made) == parts


@pytest.mark.parametrize("own", [False, True])
def test_scales_go_with_their_dimension(own):
    kind = sa((1, 2, 3), (4, 5, 6), (7, 8, 9), 1)
    src  = mli_tensor(np.arange(12, dtype=np.int8).reshape(2, 3, 2), el_params=kind)
    dst  = mli_tensor(np.zeros(99, np.int8), NONE, rank=0, el_params=sa(
        (77,) * 5, (77,) * 5, (77,) * 5, 0) if own else sa())
    cfg  = mli_mov_cfg_t(perm_dim=(1, 0, 2, 3))
    if own:
        cfg.offset, cfg.padding_post, cfg.dst_offset = (0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0)

    assert LIBRARY.mli_mov_tensor_sync(src, cfg, dst) is OK

    if own:
        assert format_of(dst) == Affine((2, 3, 0), (5, 6, 1), (8, 9, 0), 0)
        assert dst.el_params.sa.scale.mem.pi16.tolist() == [5, 6, 1, 77, 77]
    else:
        assert dst.el_params.sa.dim == 1  # As the library leaves it.
        assert np.shares_memory(dst.el_params.sa.scale.mem.memory, kind.sa.scale.mem.memory)


def test_a_move_in_steps():
    library, seen = Mli(debug="DBG_MODE_RET_CODES"), []
    handle, other = mli_mov_handle_t(), mli_mov_handle_t()
    src, dst = mli_tensor(DATA), mli_tensor(np.zeros_like(DATA))
    cfg      = mli_mov_cfg_t()

    assert library.mli_mov_acquire_handle(1, handle) is mli.MLI_STATUS_NOT_ENGH_MEM
    assert library.mli_mov_set_num_dma_ch(3, 2) is OK
    assert library.mli_mov_acquire_handle(1, handle) is library.mli_mov_acquire_handle(1, other)
    assert (handle, other) == (mli_mov_handle_t(3, 1, mli_mov_state.MLI_MOV_STATE_OPEN),
                               mli_mov_handle_t(4, 1, mli_mov_state.MLI_MOV_STATE_OPEN))
    assert library.mli_mov_registercallback(handle, seen.append, 42) is OK
    assert library.mli_mov_start(handle, src, cfg, dst) is mli.MLI_STATUS_BAD_FUNC_CFG
    assert library.mli_mov_prepare(handle, src, cfg, dst) is OK
    assert library.mli_mov_wait(handle) is mli.MLI_STATUS_NOT_SUPPORTED
    assert (seen, library.mli_mov_isdone(handle)) == ([], False)
    assert library.mli_mov_start(handle, src, cfg, dst) is library.mli_mov_wait(handle) is OK
    assert (seen, library.mli_mov_isdone(handle)) == ([42], True)
    np.testing.assert_array_equal(read(dst), DATA)
    assert library.mli_mov_release_handle(handle) is library.mli_mov_release_handle(other) is OK
    assert handle == other == mli_mov_handle_t()
    assert library.mli_mov_acquire_handle(2, other) is OK
    assert library.mli_mov_acquire_handle(1, handle) is mli.MLI_STATUS_NOT_ENGH_MEM
    assert library.mli_mov_acquire_handle(0, handle) is OK
    assert (other.dma_ch, handle.dma_ch, handle.num_ch) == (3, 3, 0)


def change(**fields):
    return lambda src, cfg, dst: [setattr(cfg, name, value) for name, value in fields.items()]


def put(which, field, value):
    def set_field(src, cfg, dst):
        *owners, name = field.split(".")
        owner = {"src": src, "dst": dst}[which]
        for step in owners:
            owner = getattr(owner, step)
        setattr(owner, name, value)
    return set_field


def overlap(src, cfg, dst):
    dst.data = src.data


@pytest.mark.parametrize(("alter", "status", "words"), [
    (put("src", "rank", 0), "BAD_TENSOR", "src must be a valid tensor; found rank 0"),
    (put("src", "data.capacity", 3), "NOT_ENGH_MEM", "bytes of src must lie within its capacity"),
    (put("src", "el_type", mli_element_type.MLI_EL_FP_16), "NOT_SUPPORTED", "Element types must"),
    (put("dst", "data", None), "BAD_TENSOR", "dst must be a tensor with memory"),
    (change(perm_dim=(0, 0, 1, 2)), "BAD_FUNC_CFG", "name every dimension of the source once"),
    (change(sub_sample_step=(0,) * 4), "BAD_FUNC_CFG", "must have entries for every dimension"),
    (change(padding_pre=(256, 0, 0, 0)), "BAD_FUNC_CFG", r"found \['padding_pre \(256, 0, 0, 0\)"),
    (change(offset=(3, 0, 0, 0)), "BAD_FUNC_CFG", "offset and size must lie within each dimension"),
    (change(size=(2, 5, 0, 0)), "BAD_FUNC_CFG", "offset and size must lie within each dimension"),
    (change(size=(2, 0, 0, 0), padding_post=(1, 0, 0, 0)), "BAD_FUNC_CFG",
     r"must lie behind the source; found \[0\]"),
    (change(dst_offset=(0, 9, 0, 0)), "BAD_FUNC_CFG", "dst_offset must not be more than the size"),
    (overlap, "INCOMPATEBLE_TENSORS", "Memory of src and dst must not overlap"),
    (change(dst_mem_stride=(3, 3, 3, 0)), "BAD_TENSOR", "mem_stride of dst must fit the result"),
    (change(dst_mem_stride=(-60, 0, 0, 0)), "BAD_TENSOR", "mem_stride of dst must fit the result"),
    (change(padding_pre=(200, 0, 0, 0)), "NOT_ENGH_MEM", "dst must have room for all bytes")])
def test_bad_moves_are_refused_and_nothing_changes(alter, status, words):
    src, cfg, dst = mli_tensor(DATA.copy()), mli_mov_cfg_t(), mli_tensor(np.zeros_like(DATA))
    alter(src, cfg, dst)
    before = dst.shape, dst.rank, dst.mem_stride, dst.el_type

    assert LIBRARY.mli_mov_tensor_sync(src, cfg, dst).name == f"MLI_STATUS_{status}"
    with pytest.raises(AssertionError, match=f"mli_mov_tensor_sync: .*{words}"):
        Mli(debug="DBG_MODE_ASSERT").mli_mov_tensor_sync(src, cfg, dst)

    assert (dst.shape, dst.rank, dst.mem_stride, dst.el_type) == before


@pytest.mark.parametrize(("fields", "params", "words"), [
    ({"offset": (0, 1, 0, 0)}, sa(), "no memory of its own for a part of the scales"),
    ({}, sa((0,) * 3, (1,) * 2, (0,) * 3, 0), "scale with room for 2 values, not 3"),
    ({}, sa(0, (1,) * 3, 0, -1), "zero_point elsewhere than the scales")])
def test_scales_without_memory_are_refused(fields, params, words):
    src = mli_tensor(np.zeros((2, 3), np.int8), el_params=sa((1, 2, 3), (4, 5, 6), (7, 8, 9), 1))
    dst = mli_tensor(np.zeros(9, np.int8), NONE, rank=0, el_params=params)
    cfg = mli_mov_cfg_t(**fields)
    assert LIBRARY.mli_mov_tensor_sync(src, cfg, dst) is mli.MLI_STATUS_SPEC_PARAM_MISMATCH
    with pytest.raises(AssertionError, match=words):
        Mli(debug="DBG_MODE_ASSERT").mli_mov_tensor_sync(src, cfg, dst)


@pytest.mark.parametrize(("name", "arguments", "words"), [
    ("cfg_for_permute", (mli_mov_cfg_t(), (0, 1)), "Arrays must have 4 ints"),
    ("cfg_for_permute", (None, (0, 1, 2, 3)), "cfg must be an mli_mov_cfg_t; found NoneType"),
    ("cfg_for_padding2d_hwc", (mli_mov_cfg_t(), 256, 0, 0, 0, NONE), r"Padding must be 0 \.\. 255"),
    ("set_num_dma_ch", (8, 9), "Channels must be of the 16 that there are"),
    ("prepare", (None, None, None, None), "h must be an mli_mov_handle_t; found NoneType"),
    ("prepare", (mli_mov_handle_t(), None, None, None), "h must be acquired; found MLI_MOV_STATE_"),
    ("registercallback", (mli_mov_handle_t(), 5, 0), "cb must be a function, or None; found 5")])
def test_bad_arguments_are_refused(name, arguments, words):
    with pytest.raises(AssertionError, match=f"mli_mov_{name}: {words}.*BAD_FUNC_CFG"):
        Mli(debug="DBG_MODE_ASSERT").function(f"mli_mov_{name}")(*arguments)


def test_release_mode_says_what_is_wrong():
    src, dst = mli_tensor(DATA), mli_tensor(np.zeros(3, np.int16))
    with pytest.raises(ValueError, match="mli_mov_tensor_sync: dst must have room for all bytes"):
        mli.mli_mov_tensor_sync(src, mli_mov_cfg_t(), dst)
    with pytest.raises(ValueError, match="mli_mov_wait: The move of h must be started"):
        mli.mli_mov_wait(mli_mov_handle_t())
    with pytest.raises(ValueError, match="mli_mov_cfg_for_permute: Arrays must have 4 ints"):
        mli.mli_mov_cfg_for_permute(mli_mov_cfg_t(), (0, 1))


@pytest.mark.parametrize(("first", "count", "is_legal"), [
    (0, 0, True), (16, 0, True), (0, 16, True), (1, 15, True), (15, 1, True), (0, 17, False),
    (1, 16, False), (16, 1, False), (17, 0, False), (-1, 1, False), (0, -1, False)])
def test_channels_are_of_those_that_there_are(first, count, is_legal):
    library = Mli(debug="DBG_MODE_RET_CODES")
    assert (library.mli_mov_set_num_dma_ch(first, count) is OK) == is_legal
    if is_legal:
        for wanted in (-1, count + 1, 17):
            assert library.mli_mov_acquire_handle(wanted, mli_mov_handle_t()) is (
                mli.MLI_STATUS_NOT_ENGH_MEM)
        for wanted in (0, count):
            handle = mli_mov_handle_t()
            assert library.mli_mov_acquire_handle(wanted, handle) is OK
            assert (handle.dma_ch, handle.num_ch) == (first, wanted)

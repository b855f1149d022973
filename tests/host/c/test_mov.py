# SPDX-License-Identifier: Apache-2.0
"""Moves of tensors in C against the golden model, and what they refuse."""

import subprocess
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_int,
    c_int32,
    c_uint8,
    c_uint32,
    c_void_p,
)

import numpy as np
import pytest

from tests.support.c.programs import compile_c, write_driver
from tests.support.calls.moves import move_of
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t
from xymac.golden.api.mli2.types import mli_data_container, mli_tensor

SOURCES = ("xymac_mli_helpers.c", "xymac_mli_mov.c", "xymac_mli_mov_cfg.c")
GOLDEN  = Mli(debug="DBG_MODE_RET_CODES")
TYPES   = {8: (0, np.int8), 16: (1, np.int16)}
FIELDS  = {"offset": c_uint32, "size": c_uint32, "sub_sample_step": c_uint32,
           "dst_offset": c_uint32, "dst_mem_stride": c_int32, "perm_dim": c_uint8,
           "padding_pre": c_uint8, "padding_post": c_uint8}
ARRAYS  = {"offsets": c_int, "sizes": c_int, "steps": c_int, "strides": c_int, "order": c_uint8}


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("capacity", c_uint32), ("shape", c_uint32 * 4),
                ("rank", c_uint32), ("el_type", c_int), ("frac_bits", c_uint8)]


class Cfg(Structure):
    _fields_ = [(name, kind * 4) for name, kind in FIELDS.items()]


class Handle(Structure):
    _fields_ = [("dma_ch", c_int), ("num_ch", c_int), ("state", c_int)]


@pytest.fixture(scope="module")
def c_moves(tmp_path_factory):
    """The functions in C."""
    folder = tmp_path_factory.mktemp("mov")
    write_driver(folder)
    for name in SOURCES[1:]:
        compile_c(folder / name, folder, cpp=True)
    objects = [compile_c(folder / name, folder, "-fPIC") for name in SOURCES]
    subprocess.run(["gcc", "-shared", *objects, "-o", folder / "mov.so"], check=True)
    return CDLL(str(folder / "mov.so"))


def to_c(tensor):
    """The same memory and fields in C."""
    kind, _ = TYPES[tensor.el_type & 0xff]
    memory  = tensor.data.mem.memory
    return Tensor(memory.__array_interface__["data"][0], tensor.data.capacity,
                  (c_uint32 * 4)(*tensor.shape), tensor.rank, kind, tensor.el_params.fx.frac_bits)


def both(c_moves, src, cfg, dst):
    """Status, memory, shape and rank that a move leaves, in C and on golden."""
    memory = dst.data.mem.memory.copy()
    part   = Cfg(*((kind * 4)(*getattr(cfg, name)) for name, kind in FIELDS.items()))
    out    = to_c(dst)
    status = c_moves.mli_mov_tensor_sync(byref(to_c(src)), byref(part), byref(out))
    by_c   = (status, dst.data.mem.memory.tobytes(), (*out.shape,), out.rank, out.el_type)
    dst.data.mem.memory[:] = memory
    status = GOLDEN.mli_mov_tensor_sync(src, cfg, dst)
    shape  = (*dst.shape, *(0,) * 4)[:4]
    return by_c, (int(status), dst.data.mem.memory.tobytes(), shape, dst.rank,
                  TYPES[dst.el_type & 0xff][0])


@pytest.mark.parametrize("name", ["FX_8", "FX_16"])
def test_moves_are_those_of_golden(name, c_moves):
    for number in range(200):
        src, cfg, dst = move_of(name, number, gaps=False)
        cfg.dst_mem_stride, dst.mem_stride = dst.mem_stride, cfg.dst_mem_stride
        dst.mem_stride = (0,) * 4
        if number % 3 == 0:  # Gaps from one index of the first dimension to the next.
            first = 2 * cfg.dst_mem_stride[0] if any(cfg.dst_mem_stride) else 999
            cfg.dst_mem_stride = (first, 0, 0, 0)
            dst.data = mli_data_container(mem=np.full(20000, 77, TYPES[dst.el_type & 0xff][1]))
        by_c, by_golden = both(c_moves, src, cfg, dst)
        assert by_c == by_golden, number
        assert by_c[0] == 0, number


@pytest.mark.parametrize(("fields", "status"), [
    ({"perm_dim": (0, 0, 1, 2)}, 4), ({"perm_dim": (0, 1, 3, 2)}, 4),
    ({"sub_sample_step": (1, 0, 1, 1)}, 4), ({"offset": (3, 0, 0, 0)}, 4),
    ({"size": (2, 5, 0, 0)}, 4), ({"size": (2, 0, 0, 0), "padding_post": (1, 0, 0, 0)}, 4),
    ({"dst_offset": (0, 9, 0, 0)}, 4), ({"dst_mem_stride": (3, 3, 3, 0)}, 1),
    ({"dst_mem_stride": (-60, 0, 0, 0)}, 1), ({"padding_pre": (200, 0, 0, 0)}, 5),
    ({"dst_mem_stride": (2 ** 31 - 1, 0, 0, 0)}, 5)])
def test_what_golden_refuses_is_refused(fields, status, c_moves):
    src, dst = (mli_tensor(np.arange(60, dtype=np.int16).reshape(3, 4, 5)) for _ in range(2))
    dst.shape = src.shape = (3, 4, 5, 1)
    by_c, by_golden = both(c_moves, src, mli_mov_cfg_t(**fields), dst)
    assert by_c == by_golden
    assert by_c[0] == status


def test_bad_tensors_are_refused(c_moves):
    data = np.zeros(12, np.int16)
    address, cfg = data.__array_interface__["data"][0], Cfg()
    assert c_moves.mli_mov_cfg_for_copy(byref(cfg)) == 0

    def status(src, dst=None, config=cfg):
        return c_moves.mli_mov_tensor_sync(byref(src), config and byref(config),
                                           byref(dst) if dst else None)
    good  = Tensor(address, 12, (c_uint32 * 4)(2, 3), 2, 1, 0)
    other = Tensor(address + 12, 12, (c_uint32 * 4)(2, 3), 2, 1, 0)
    assert status(good, other) == 0
    assert status(good) == status(good, Tensor()) == 1
    assert status(good, other, None) == 4
    assert status(good, good) == 3
    assert status(Tensor(address, 12, (c_uint32 * 4)(2, 0), 2, 1, 0), other) == 1
    assert status(Tensor(address, 11, (c_uint32 * 4)(2, 3), 2, 1, 0), other) == 5
    assert status(Tensor(address, 12, (c_uint32 * 4)(2, 3), 5, 1, 0), other) == 1


VALUES = {"offsets": (1, 0, 2, 0), "sizes": (2, 3, 1, 0), "steps": (1, 2, 3, 1),
          "strides": (60, 20, 5, 1), "order": (2, 0, 1, 3)}


@pytest.mark.parametrize(("name", "arguments"), [
    ("for_copy", ()), ("for_slice", ("offsets", "sizes", "strides")),
    ("for_concat", ("offsets", "strides")), ("for_subsample", ("steps", "strides")),
    ("for_permute", ("order",)), ("for_padding2d_chw", (1, 2, 3, 4, "strides")),
    ("for_padding2d_hwc", (1, 2, 3, 4, "strides")),
    ("all", ("offsets", "sizes", "steps", "offsets", "strides", "order", 1, 2, 3, 4))])
def test_configurations_are_those_of_golden(name, arguments, c_moves):
    by_c, by_golden = Cfg(), mli_mov_cfg_t()
    fill = getattr(c_moves, f"mli_mov_cfg_{name}")
    pass_c = [(ARRAYS[value] * 4)(*VALUES[value]) if isinstance(value, str) else c_uint8(value)
              for value in arguments]

    assert fill(byref(by_c), *pass_c) == 0
    assert fill(None, *pass_c) == 4
    GOLDEN.function(f"mli_mov_cfg_{name}")(by_golden, *(
        VALUES[value] if isinstance(value, str) else value for value in arguments))

    assert {field: tuple(getattr(by_c, field)) for field in FIELDS} == vars(by_golden)
    for position, value in enumerate(arguments):
        if isinstance(value, str):
            assert fill(byref(by_c), *pass_c[:position], None, *pass_c[position + 1:]) == 4


def test_handles_and_callbacks(c_moves):
    seen, callback = [], CFUNCTYPE(None, c_int32)
    call = callback(seen.append)
    c_moves.mli_mov_isdone.argtypes = [POINTER(Handle)]
    data, cfg, one, two = np.arange(12, dtype=np.int16), Cfg(), Handle(), Handle()
    address = data.__array_interface__["data"][0]
    src, dst = (Tensor(address + start, 12, (c_uint32 * 4)(2, 3), 2, 1, 0) for start in (0, 12))
    move = byref(src), byref(cfg), byref(dst)
    c_moves.mli_mov_cfg_for_copy(byref(cfg))

    assert c_moves.mli_mov_prepare(byref(one), *move) == 4
    assert c_moves.mli_mov_acquire_handle(1, byref(one)) == 5
    assert [c_moves.mli_mov_set_num_dma_ch(*pair) for pair in ((8, 9), (-1, 1), (3, 2))] == [
        4, 4, 0]
    assert c_moves.mli_mov_acquire_handle(2, byref(one)) == 0
    assert c_moves.mli_mov_acquire_handle(1, byref(two)) == 5
    assert (one.dma_ch, one.num_ch, one.state) == (3, 2, 1)
    assert c_moves.mli_mov_registercallback(byref(one), call, 42) == 0
    assert c_moves.mli_mov_start(byref(one), *move) == 4
    assert c_moves.mli_mov_prepare(byref(one), *move) == 0
    assert (c_moves.mli_mov_wait(byref(one)), c_moves.mli_mov_isdone(byref(one)) & 1) == (6, 0)
    assert c_moves.mli_mov_start(byref(one), *move) == c_moves.mli_mov_wait(byref(one)) == 0
    assert (seen, c_moves.mli_mov_isdone(byref(one)) & 1) == ([42], 1)
    assert data.tolist() == [*range(6), *range(6)]
    assert c_moves.mli_mov_release_handle(byref(one)) == 0
    assert (one.dma_ch, one.num_ch, one.state) == (0, 0, 0)
    assert c_moves.mli_mov_acquire_handle(1, byref(two)) == 0
    assert (two.dma_ch, c_moves.mli_mov_release_handle(None)) == (3, 4)


def test_a_program_has_them_by_mli_api(tmp_path):
    write_driver(tmp_path)
    (tmp_path / "program.c").write_text(
        '#include "mli_api.h"\nmli_status copy(const mli_tensor *a, mli_tensor *b)\n'
        '{ mli_mov_cfg_t cfg; mli_mov_cfg_for_copy(&cfg); return mli_move(a, &cfg, b); }\n')
    compile_c(tmp_path / "program.c", tmp_path, "-DXYMAC_MLI_RELEASE=11")

# SPDX-License-Identifier: Apache-2.0
"""``mem_stride`` of MLI 1.1 in C: moves as those of golden, parts of tensors, kernels."""

import subprocess
from ctypes import CDLL, Structure, byref, c_int, c_int32, c_uint8, c_uint32, c_void_p

import numpy as np
import pytest

from tests.support.c.programs import compile_c, write_driver
from tests.support.calls.moves import move_of
from tests.support.calls.spoiled import spoiled_move
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t
from xymac.golden.api.mli2.types import mli_tensor

GOLDEN  = Mli(debug="DBG_MODE_RET_CODES")
SOURCES = ("xymac_mli_helpers.c", "xymac_mli_mov.c", "xymac_mli_mov_cfg.c")
FIELDS  = {"offset": c_uint32, "size": c_uint32, "sub_sample_step": c_uint32,
           "dst_offset": c_uint32, "dst_mem_stride": c_int32, "perm_dim": c_uint8,
           "padding_pre": c_uint8, "padding_post": c_uint8}


#: Element types by their numbers in release 1.1.
KINDS = ("FX_8", "FX_16", "SA_8", "SA_32")


def address(array):
    """First byte of an array."""
    return array.__array_interface__["data"][0]


class Params(Structure):
    """``mli_element_params``; ``frac_bits`` is its first byte."""

    _fields_ = [("frac_bits", c_uint8), ("rest", c_uint8 * 7), ("scale", c_void_p),
                ("dim", c_int32), ("scale_frac_bits", c_uint8)]


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("capacity", c_uint32), ("mem_stride", c_int32 * 4),
                ("shape", c_uint32 * 4), ("rank", c_uint32), ("el_type", c_int),
                ("el_params", Params)]


class Cfg(Structure):
    _fields_ = [(name, kind * 4) for name, kind in FIELDS.items()]


class Point(Structure):
    _fields_ = [("start_coord", c_uint32 * 4), ("coord_num", c_uint8), ("size", c_uint8)]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The functions of release 1.1 in C."""
    folder = tmp_path_factory.mktemp("strides")
    write_driver(folder)
    objects = [compile_c(folder / name, folder, "-fPIC", "-DXYMAC_MLI_RELEASE=11")
               for name in SOURCES]
    subprocess.run(["gcc", "-shared", *objects, "-o", folder / "mov.so"], check=True)
    return CDLL(str(folder / "mov.so"))


def to_c(tensor):
    """The same memory and fields in C."""
    kind = KINDS.index(tensor.el_type.name[7:])
    return Tensor(address(tensor.data.mem.memory), tensor.data.capacity,
                  (c_int32 * 4)(*tensor.mem_stride), (c_uint32 * 4)(*tensor.shape), tensor.rank,
                  kind, params_to_c(tensor.el_params))


def params_to_c(params):
    """Parameters of both kinds; of asymmetric elements only ``dim`` agrees, no move reads more."""
    return Params(params.fx.frac_bits) if params.sa is None else Params(dim=params.sa.dim)


def both(library, src, cfg, dst):
    """Status, memory, shape, rank and strides that a move leaves, in C and on golden."""
    memory = dst.data.mem.memory
    before = memory.copy()
    part   = Cfg(*((kind * 4)(*getattr(cfg, name)) for name, kind in FIELDS.items()))
    out    = to_c(dst)
    status = library.mli_mov_tensor_sync(byref(to_c(src)), byref(part), byref(out))
    by_c   = status, memory.tobytes(), (*out.shape,), out.rank, (*out.mem_stride,)
    memory[:] = before
    status = GOLDEN.mli_mov_tensor_sync(src, cfg, dst)
    shape, strides = ((*values, *(0,) * 4)[:4] for values in (dst.shape, dst.mem_stride))
    return by_c, (int(status), memory.tobytes(), shape, dst.rank, strides)


@pytest.mark.parametrize("name", ["FX_8", "FX_16"])
def test_moves_of_tensors_with_gaps(name, library):
    for number in range(120):
        by_c, by_golden = both(library, *move_of(name, number))
        assert by_c == by_golden, number
        assert by_c[0] == 0, number


@pytest.mark.parametrize(("strides", "capacity", "status"), [
    ((5, 5, 1), 600, 1), ((20, 5, -1), 600, 1), ((20, 4, 1), 600, 1), ((20, 25, 1), 600, 1),
    ((25, 5, 1), 138, 5), ((25, 5, 1), 140, 0), ((40, 9, 3), 600, 1), ((40, 13, 3), 600, 0),
    ((40, 9, 3), 200, 5)])
def test_sources_with_wrong_strides(strides, capacity, status, library):
    src = mli_tensor(np.arange(300, dtype=np.int16))
    dst = mli_tensor(np.zeros(300, dtype=np.int16))
    src.shape, src.rank, src.mem_stride = (3, 4, 5, 1), 3, (*strides, 0)
    src.data.capacity = capacity
    dst.shape, dst.rank, dst.mem_stride = (3, 4, 5, 1), 3, (0,) * 4

    by_c, by_golden = both(library, src, mli_mov_cfg_t(), dst)
    assert by_c[0] == by_golden[0] == status


@pytest.mark.parametrize(("strides", "start", "found", "offset", "capacity"), [
    ((0, 0, 0), (1, 2), (0, 0), 30, 20), ((20, 5, 1), (1, 2), (5, 1), 30, 20),
    ((60, 10, 2), (1, 2), (10, 2), 80, 38), ((60, 10, 2), (2,), (60, 10, 2), 120, 0)])
def test_part_of_a_tensor_with_strides(strides, start, found, offset, capacity, library):
    """``capacity`` counts bytes from the first to the last element of a part of 16 bits."""
    data = np.zeros(400, np.int16)
    address = data.__array_interface__["data"][0]
    whole = Tensor(address, 800, (c_int32 * 4)(*strides), (c_uint32 * 4)(3, 4, 5), 3, 1)
    out   = Tensor(mem_stride=(c_int32 * 4)(9, 9, 9, 9))
    cfg   = Point((c_uint32 * 4)(*start), len(start), 2 if len(start) > 1 else 1)

    assert library.mli_hlp_point_to_subtensor(byref(whole), byref(cfg), byref(out)) == 0
    rank = 4 - len(start)
    assert (out.rank, (*out.shape,)[:rank]) == (rank, (cfg.size, 4, 5)[-rank:] if rank == 3
                                                else (cfg.size, 5))
    assert (*out.mem_stride,) == (*found, *(0,) * 4)[:4]
    assert out.data == address + 2 * offset
    assert out.capacity == (capacity or 2 * (3 * 10 + 4 * 2 + 1))


class Sub(Structure):
    _fields_ = [("offset", c_uint32 * 4), ("size", c_uint32 * 4), ("rank", c_uint32)]


def per_channel(shape, dim, data, scales, zeros):
    """A tensor of asymmetric elements whose scales lie along a dimension."""
    params = Params.from_buffer_copy(
        address(zeros).to_bytes(8, "little") + address(scales).to_bytes(8, "little")
        + dim.to_bytes(4, "little", signed=True) + bytes(4))
    return Tensor(address(data), data.nbytes, (c_int32 * 4)(), (c_uint32 * 4)(*shape), len(shape),
                  2, params)


def params_of(tensor):
    """(dimension, first scale, first zero point); an address where they lie along a dimension."""
    params = tensor.el_params
    scale  = params.scale or 0
    zero   = int.from_bytes(bytes(params)[:8], "little")
    return (params.dim, scale, zero) if params.dim >= 0 else (
        params.dim, scale & 0xFFFF_FFFF, zero & 0xFFFF)


@pytest.mark.parametrize("dim", range(3))
def test_scales_along_a_dimension(dim, library):
    data, shape = np.arange(60, dtype=np.int8), (3, 4, 5)
    scales, zeros = np.arange(1000, 1005, dtype=np.int32), np.arange(70, 75, dtype=np.int16)
    whole  = per_channel(shape, dim, data, scales, zeros)
    first  = [array.__array_interface__["data"][0] for array in (scales, zeros)]
    out    = Tensor()
    offset = (1, 2, 3)

    def at(kept):
        """Parameters of a part from ``offset`` on, with the dimension ``kept``."""
        start = offset[dim]
        return (kept, first[0] + 4 * start, first[1] + 2 * start) if kept >= 0 else (
            -1, 1000 + start, 70 + start)

    cut = Sub((c_uint32 * 4)(*offset), (c_uint32 * 4)(1, 2, 2), 2)
    assert library.mli_hlp_create_subtensor(byref(whole), byref(cut), byref(out)) == 0
    assert params_of(out) == at(dim - 1)

    point = Point((c_uint32 * 4)(1, 2, 9), 2, 2)
    assert library.mli_hlp_point_to_subtensor(byref(whole), byref(point), byref(out)) == 0
    assert params_of(out) == (at(dim - 1) if dim < 2 else (1, *first))

    room = np.zeros(60, np.int8)
    dst  = Tensor(room.__array_interface__["data"][0], 60)
    cfg  = Cfg(sub_sample_step=(c_uint32 * 4)(1, 1, 1, 1), perm_dim=(c_uint8 * 4)(2, 0, 1, 3))
    assert library.mli_mov_tensor_sync(byref(whole), byref(cfg), byref(dst)) == 0
    assert params_of(dst) == ((2, 0, 1).index(dim), *first)
    np.testing.assert_array_equal(room, data.reshape(shape).transpose(2, 0, 1).ravel())
    cfg.offset[dim] = 1
    assert library.mli_mov_tensor_sync(byref(whole), byref(cfg), byref(dst)) == 7


@pytest.mark.parametrize("name", KINDS)
def test_statuses_of_wrong_moves_are_those_of_golden(name, library):
    """Each memory is that of golden, too: of a refused move unchanged."""
    statuses = set()
    for number in range(300):
        by_c, by_golden = both(library, *spoiled_move(name, number))
        statuses.add(by_c[0])
        assert by_c[:2 if by_c[0] else None] == by_golden[:2 if by_c[0] else None], number
    assert statuses == {0, 1, 3, 4, 5} | ({7} if name.startswith("SA") else set())


@pytest.mark.parametrize(("shape", "strides", "capacity", "wanted"), [
    ((3, 4, 5), (0, 0, 0), 60, (0, 33)), ((3, 4, 5), (0, 0, 0), 9, (0, 0)),
    ((3, 4, 0), (0, 0, 0), 60, (1, 0)), ((3, 4, 5), (0, -5, 0), 60, (1, 0)),
    ((2 ** 31, 4, 5), (0, 0, 0), 60, (5, 0)), ((3, 4, 5), (0, 2 ** 31 - 1, 0), 60, (5, 0))])
def test_parts_of_odd_tensors(shape, strides, capacity, wanted, library):
    """Status and capacity. Release mode does not read the capacity, which does not wrap either."""
    data  = np.zeros(60, np.int8)
    whole = Tensor(address(data), capacity, (c_int32 * 4)(*strides), (c_uint32 * 4)(*shape), 3, 0)
    cut   = Sub((c_uint32 * 4)(1, 1, 2), (c_uint32 * 4)(1, 2, 2), 2)
    out   = Tensor()
    status = library.mli_hlp_create_subtensor(byref(whole), byref(cut), byref(out))
    assert (status, out.capacity) == wanted

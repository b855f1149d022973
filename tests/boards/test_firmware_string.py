# SPDX-License-Identifier: Apache-2.0
"""The program's own memcpy and its relatives, compiled for this machine, beside Python's bytes."""

import ctypes
import subprocess
from itertools import product
from pathlib import Path

import pytest

from xymac.boards import firmware

SOURCE  = Path(firmware.__file__).with_name("string.c")
NAMES   = ("memcpy", "memmove", "memset", "memcmp")
OFFSETS = range(5)
COUNTS  = (*range(18), 31)
TEXT    = bytes(range(1, 65))


@pytest.fixture(scope="module")
def string(tmp_path_factory):
    """The functions, under names that are not those of this machine's library."""
    path = tmp_path_factory.mktemp("string") / "string.so"
    subprocess.run(["gcc", "-O2", "-ffreestanding", "-fno-builtin", "-shared", "-fPIC",
                    "-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra", "-Werror",
                    *(f"-D{name}=own_{name}" for name in NAMES), SOURCE, "-o", path], check=True)
    return ctypes.CDLL(str(path))


def memory():
    """64 bytes at a multiple of 4, and their address."""
    array = (ctypes.c_uint32 * 16).from_buffer_copy(TEXT)
    return array, ctypes.addressof(array)


def pointer(address):
    return ctypes.c_void_p(address)


def test_memcpy_at_every_alignment(string):
    source, begin = memory()
    for to, off, count in product(OFFSETS, OFFSETS, COUNTS):
        target, place = memory()
        string.own_memcpy(pointer(place + to), pointer(begin + off), count)
        assert bytes(target) == TEXT[:to] + TEXT[off:off + count] + TEXT[to + count:]
    assert bytes(source) == TEXT


def test_memmove_within_an_array(string):
    for to, off, count in product(OFFSETS, OFFSETS, COUNTS):
        array, place = memory()
        string.own_memmove(pointer(place + to), pointer(place + off), count)
        assert bytes(array) == TEXT[:to] + TEXT[off:off + count] + TEXT[to + count:]


def test_memset_takes_the_low_byte(string):
    for to, count, value in product(OFFSETS, COUNTS, (0, 0x1A5)):
        array, place = memory()
        string.own_memset(pointer(place + to), value, count)
        assert bytes(array) == TEXT[:to] + bytes([value & 255]) * count + TEXT[to + count:]


def test_memcmp_finds_the_first_byte_that_differs(string):
    for left, right, count in product(OFFSETS, OFFSETS, COUNTS):
        first, second = memory()[0], (ctypes.c_uint8 * 68)()
        ends = pointer(ctypes.addressof(first) + left), pointer(ctypes.addressof(second) + right)
        same = TEXT[left:left + count]
        second[right:right + count] = same
        assert string.own_memcmp(*ends, count) == 0
        for at, byte in enumerate(same):
            second[right + at] ^= 0x80
            assert string.own_memcmp(*ends, count) == byte - (byte ^ 0x80)
            second[right + at] ^= 0x80

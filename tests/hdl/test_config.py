# SPDX-License-Identifier: Apache-2.0
"""Sizes as a user writes them: names, fields, and a name for every one."""

import keyword
from dataclasses import replace
from itertools import product

import pytest

from xymac.hdl.capabilities import Capabilities
from xymac.hdl.config import (
    BASE,
    COMPACT,
    CORES,
    FEATURES,
    TINY,
    CoreConfig,
    change_size,
    find_size,
)
from xymac.hdl.isa import Op, Reduce


@pytest.mark.parametrize("name", CORES)
def test_names(name):
    assert find_size(name) is CORES[name]


@pytest.mark.parametrize(("text", "name"), [
    ("ways=2,x_rows=1024,y_rows=1024,passes=64,slots=4", "w2_x1024_y1024_p64_s4"),
    ("slots=2", "w4_x2048_y2560_p128_s2"), ("base,x_rows=1024", "w4_x1024_y2560_p128_s4"),
    ("tiny,x_rows=1024", "w1_x1024_y4096_p32_s2"), ("tiny", "tiny"), ("base,ways=4", "base"),
    ("w4_x2048_y2048_p64_s2,ways=2", "small"), ("compact,ways=1", "compact"),
    ("ways=1,x_rows=2048,y_rows=4096,passes=32,slots=2", "tiny"),
    ("base,heap=0,comparison=0", "w4_x2048_y2560_p128_s4_no_heap_no_comparison"),
    ("w4_x2048_y2560_p128_s4_no_heap,heap=1", "base"), ("tiny,window=0,extremes=0", "tiny"),
    ("base,dma=32", "w4_x2048_y2560_p128_s4_dma32"), ("w4_x2048_y2560_p128_s4_dma64,dma=0", "base"),
    ("w2_x2048_y2048_p64_s2_no_window_dma128", "w2_x2048_y2048_p64_s2_no_window_dma128"),
    ("compact,dma=0", "compact"),
    ("small,window=0", "w2_x2048_y2048_p64_s2_no_window"), ("small,extremes=0", "small")])
def test_fields(text, name):
    assert find_size(text).name == name


def test_every_size_is_found_by_its_name_which_is_a_word():
    for ways, x, y, passes, slots in product((1, 2, 4), (512, 2048), (512, 4096), (2, 128), (2, 4)):
        size = change_size(BASE, ways=ways, x_rows=x, y_rows=y, passes=passes, slots=slots)

        assert find_size(size.name) == size
        assert size == CoreConfig(size.name, ways, x, y, passes, slots)
        assert size.name.isidentifier()
        assert not keyword.iskeyword(size.name)


def test_the_same_fields_are_the_same_size():
    assert find_size("passes=32,ways=1,y_rows=4096,slots=2") is TINY
    assert find_size("ways=2,slots=2") == find_size("slots=2,ways=2")


@pytest.mark.parametrize(("text", "message"), [
    ("huge", ("Size must be tiny, small, base, compact or fields as in ways=2,x_rows=1024, "
             "not 'huge'")),
    ("", "Size must be tiny, .* not ''"), ("tiny ", "Size must be tiny, .* not 'tiny '"),
    ("w2_x1024", "Size must be tiny, .* not 'w2_x1024'"),
    ("ways=3", "Ways must be 1, 2 or 4, not 3"),
    ("x_rows=1000", "x_rows must be a multiple of 512 from 512 to 4096, not 1000"),
    ("tiny,y_rows=8192", "y_rows must be a multiple of 512 from 512 to 4096, not 8192"),
    ("passes=48", "Passes must be a power of two from 2 to 256, not 48"),
    ("slots=3", "Slots must be 2 or 4, not 3"),
    ("w2_x100_y1024_p64_s4", "x_rows must be a multiple of 512 from 512 to 4096, not 100"),
    ("ways=two", "ways must be an int, not 'two'"), ("ways=", "ways must be an int, not ''"),
    ("passes=-2", "Passes must be a power of two from 2 to 256, not -2"),
    ("tiny,rows=512", ("A field of a size must be ways, x_rows, y_rows, passes, slots, heap, "
                      "extremes, window, comparison or dma, not 'rows'")),
    ("tiny,small", "A size must begin with its name, 'small' comes later"),
    ("tiny,", "A field .*, not ''"),
    ("ways=1234567", "ways must have 6 digits at most, not 1234567"),
    ("engine=2", "A field of a size must be .*, not 'engine'"),
    ("ways=1,ways=2", "A field of a size must come once, ways comes twice"),
    ("heap=2", "heap must be 0 or 1, not 2"),
    ("dma=16", "dma must be 32, 64 or 128, or 0 for no DMA, not 16"),
    ("base_dma32", "Size must be tiny, .* not 'base_dma32'"),
    ("compact,dma=32", "dma must be 0 in size compact, not 32"),
    ("tiny_no_heap", "Size must be tiny, .* not 'tiny_no_heap'"),
    ("compact,heap=1", "heap must be 0 in size compact, not 1"),
    ("compact,x_rows=1024", "x_rows must be 2048 in size compact, not 1024")])
def test_what_is_no_size(text, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        find_size(text)


@pytest.mark.parametrize("fields", list(product((0, 1), repeat=len(FEATURES))), ids=str)
@pytest.mark.parametrize("ways", [1, 2, 4])
def test_functions_left_out(ways, fields):
    size = change_size(BASE, ways=ways, **dict(zip(FEATURES, fields, strict=True)))
    core = size.capabilities

    assert find_size(size.name) == size
    assert Capabilities.read(core.words()) == core
    heap, extremes, window, comparison = fields
    assert core.supports(Reduce.RANK) == core.supports(Reduce.POP) == heap
    assert core.supports(Reduce.RANGE) == (extremes and ways == 4)
    assert core.supports(Op.SLIDE) == (core.window > 0) == (window and ways > 1)
    assert core.supports(Op.MAX) == core.supports(Op.MIN) == comparison
    assert set(BASE.capabilities.lacking(core)) == set()
    assert (core.lacking(BASE.capabilities) == []) == (size.capabilities == replace(
        BASE.capabilities, ways=ways))


@pytest.mark.parametrize("width", [None, 32, 64, 128])
def test_a_dma_is_in_the_name_and_in_the_capabilities(width):
    size = change_size(BASE, dma=width, heap=0)
    core = size.capabilities

    assert (size.dma, find_size(size.name)) == (width, size)
    assert Capabilities.read(core.words()) == core
    assert core.dma == (width or 0)
    assert ("a DMA" in BASE.capabilities.lacking(core)) == (width is not None)
    assert "a DMA" not in core.lacking(BASE.capabilities)


def test_the_compact_core_stays_what_it_is():
    assert change_size(COMPACT, ways=1) is COMPACT

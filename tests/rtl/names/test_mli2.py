# SPDX-License-Identifier: Apache-2.0
"""Every function of MLI 2.0 by its name on base in RTL, its tensors in memory with gaps: memory
afterwards is what golden leaves, byte by byte."""

from pathlib import Path

import pytest

from tests.support.calls.mli2 import OK
from tests.support.calls.moves import TYPES, move_of, moved
from tests.support.calls.parts import PARTS, part_of
from tests.support.calls.strided import call_of, memories
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.names import HELPERS, LUTS, parse
from xymac.golden.mli2 import Build
from xymac.host.api import on_device

_LIST  = Path(__file__).parents[2] / "golden/api/mli2/names.txt"
NAMES  = [line for line in _LIST.read_text().splitlines()
          if not line.startswith(("#", "mli_mov"))]
#: Functions that no kernel stands for: numbers, tables, and parts that share memory.
PLAIN  = [name for name in NAMES if parse(name).primitive in {*HELPERS, *LUTS}
          and "convert_tensor" not in name]
BUILDS = tuple(Build)


class Counted:
    """A device and how many programs it ran."""

    def __init__(self, device):
        self._device, self.runs = device, 0

    def __getattr__(self, name):
        return getattr(self._device, name)

    def run(self):
        self.runs += 1
        return self._device.run()


def call(device, name, number, *, strided):
    """Call a function on golden and on a device; whether that ran a program."""
    build, returned, left, counted = BUILDS[number % 3], [], [], Counted(device)
    for library in (Mli(build=build, debug="DBG_MODE_RET_CODES"),
                    on_device(counted, Mli, build=build, debug="DBG_MODE_RET_CODES")):
        args = call_of(name, number, strided=strided)
        returned.append(library.function(name)(**args))
        left.append(memories(args))
    assert returned[0] == returned[1]
    assert name in PLAIN or returned[0] is OK
    assert left[0] == left[1], name
    return bool(counted.runs)


def test_all_names_are_there():
    assert len(NAMES) == 131
    assert len(PLAIN) == 20


@pytest.mark.parametrize("name", NAMES)
def test_memory_is_what_golden_leaves(name, rtl):
    ran = call(rtl("base"), name, 0, strided=True)

    assert ran == (name not in PLAIN)


@pytest.mark.long
@pytest.mark.parametrize("size", ["base", "small", "tiny"])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in PLAIN])
def test_every_build_with_and_without_gaps(name, size, rtl):
    for number in range(1, 5):
        call(rtl(size), name, number, strided=number > 2)


def test_a_smaller_output_is_written_in_part(rtl):
    left = []
    for library in (Mli(), on_device(rtl("base"), Mli)):
        args, memory = part_of(*PARTS[0][1:])
        assert library.function(PARTS[0][0])(*args) is OK
        left.append(memory.tobytes())
    assert left[0] == left[1]


@pytest.mark.parametrize("name", TYPES)
def test_elements_are_moved_as_plain_loops_move_them(name, rtl):
    library = on_device(rtl("base"), Mli, debug="DBG_MODE_RET_CODES")
    for number in range(6):
        src, cfg, dst = move_of(name, number)
        memory, _, _  = moved(src, cfg, dst)
        assert library.mli_mov_tensor_sync(src, cfg, dst) is OK
        assert dst.data.mem.memory.tobytes() == memory.tobytes(), number

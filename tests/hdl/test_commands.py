# SPDX-License-Identifier: Apache-2.0
"""Commands of a list: fields in their bits, and values that the format does not allow."""

from dataclasses import replace
from random import Random

import pytest

from xymac.hdl.isa import (
    COMMAND_BYTES,
    COMMAND_WORDS,
    ROW_BYTES_MAX,
    ROWS_MAX,
    Command,
    Opcode,
    Region,
)

X    = Region.X.value
LOAD = Command(Opcode.LOAD, 3, 4, 5, X + 6, 8, 9, -10, -12)


def test_every_field_has_its_bits():
    assert COMMAND_BYTES == 4 * COMMAND_WORDS
    assert LOAD.encode() == [1, 4 << 16 | 3, 5, X + 6, 8, 9, (1 << 32) - 10, (1 << 32) - 12]
    assert replace(LOAD, narrow=True).encode() == [17, *LOAD.encode()[1:]]
    assert Command(Opcode.RUN, 1, 2, offset=7).encode() == [3, 2 << 16 | 1, 7, 0, 0, 0, 0, 0]
    assert Command(Opcode.END).encode() == [0] * 8
    assert [opcode.value for opcode in Opcode] == [0, 1, 2, 3, 4]


def test_decoding_reverses_encoding():
    rng = Random(1)
    for opcode in Opcode:
        for _ in range(50):
            command = Command(opcode, rng.randrange(1 << 16), rng.randrange(1 << 16))
            if opcode is Opcode.RUN:
                command = replace(command, offset=rng.randrange(1 << 32))
            if command.is_move:
                core = rng.choice([X, Region.Y.value, Region.PROGRAM.value]) + 4 * rng.randrange(99)
                command = replace(
                    command, offset=rng.randrange(1 << 32), core=core,
                    row_bytes=4 * rng.randint(1, ROW_BYTES_MAX // 4), rows=rng.randint(1, ROWS_MAX),
                    stride=rng.randrange(-1 << 31, 1 << 31),
                    core_stride=4 * rng.randrange(-1 << 20, 1 << 20))
                if core >> 20 == 1 and rng.random() < 0.5:
                    command = replace(command, narrow=True, core=core + 1, row_bytes=3,
                                      core_stride=-5)
            assert Command.decode(command.encode()) == command


def test_a_run_and_an_end_ignore_the_other_words():
    assert Command.decode([3, 1, 2, 3, 4, 5, 6, 7]) == Command(Opcode.RUN, 1, 0, offset=2)
    assert Command.decode([0, 1, 2, 3, 4, 5, 6, 7]) == Command(Opcode.END, 1)


@pytest.mark.parametrize(("values", "message"), [
    ({"runs": 65536}, "runs of a LOAD must be between 0 and 65535, not 65536"),
    ({"moves": -1}, "moves of a LOAD must be between 0 and 65535, not -1"),
    ({"row_bytes": 0}, "row_bytes of a LOAD must be between 1 and 1048576, not 0"),
    ({"row_bytes": ROW_BYTES_MAX + 2}, "row_bytes of a LOAD must .*, not 1048578"),
    ({"rows": 0}, "rows of a LOAD must be between 1 and 65535, not 0"),
    ({"rows": 65536}, "rows of a LOAD must be between 1 and 65535, not 65536"),
    ({"core_stride": 1 << 22}, "core_stride of a LOAD must be between -4194304 and 4194303, .*"),
    ({"core": Region.Y.value, "narrow": True},
     "A LOAD at 0x200000 must not be narrow, only a transfer of X"),
    ({"opcode": Opcode.RUN, "narrow": True}, "A RUN at 0x100006 must not be narrow, only .*"),
    ({"core": X + 1}, "core of a LOAD at 0x100001 must be a multiple of 2, not 1048577"),
    ({"row_bytes": 3}, "row_bytes of a LOAD at 0x100006 must be a multiple of 2, not 3"),
    ({"core_stride": -1}, "core_stride of a LOAD at 0x100006 must be a multiple of 2, not -1"),
    ({"core": 0x10002}, "core of a LOAD at 0x10002 must be a multiple of 4, not 65538"),
    ({"core": 0x30000, "row_bytes": 6}, "row_bytes of a LOAD at 0x30000 must be a .* 4, not 6")])
def test_values_that_the_format_does_not_allow(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        replace(LOAD, **values).encode()


@pytest.mark.parametrize(("place", "word"), [
    (0, 5), (0, 0x13), (0, 0x21), (0, 1 << 31 | 1), (3, X + 1), (4, 0), (4, 1), (5, 0), (5, 65536),
    (7, 1), (7, 1 << 22)])
def test_words_that_the_format_does_not_allow(place, word):
    words = LOAD.encode()
    words[place] = word
    with pytest.raises(ValueError, match="must"):
        Command.decode(words)

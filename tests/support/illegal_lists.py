# SPDX-License-Identifier: Apache-2.0
"""Command lists that no compiler writes: random transfers and runs, some with changed words."""

import numpy as np

from tests.support.seed import random_of
from xymac.hdl.isa import COMMAND_BYTES, COMMAND_WORDS, Command, Opcode, Region

__all__ = ["DATA", "SIZE", "draw_command", "draw_list"]

SIZE  = 8192  #: Bytes of an image.
DATA  = 1024  #: Offset of its data; commands lie before it.
_MOST = 1 << 16  #: Bytes of a transfer, so that it ends soon.
_MOVES = (Opcode.LOAD, Opcode.STORE, Opcode.FILL)
#: Words that lie at an edge of what a field allows.
_EDGES = (0, 1, 2, 3, 4, 5, 7, 15, 16, 31, 0x10, 0x20, 0xFFFF, 0x1_0000, 0xF_FFFF, 0x10_0000,
          0x1F_FFFF, 0x20_0000, 0x3F_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, SIZE, SIZE - 1)


def draw_list(key, config, regions):
    """An image (uint8 array) with a list at byte 0, of 1 to 6 commands in order and an END.

    Parameters
    ----------
    key : int or ints, of the random generator
    config : CoreConfig
    regions : dict of the bytes of each Region that transfers may reach
    """
    rng   = random_of(key)
    image = np.frombuffer(rng.bytes(SIZE), np.uint8).copy()
    image[:DATA] = 0
    runs = moves = 0
    for entry in range(int(rng.integers(1, 7))):
        command = draw_command(rng, config, regions, runs, moves)
        runs, moves = runs + (not command.is_move), moves + command.is_move
        words = np.array(command.encode(), "<u4")
        if rng.random() < 0.25:
            words = _bounded(_changed(rng, words))
        image[entry * COMMAND_BYTES:(entry + 1) * COMMAND_BYTES] = words.view(np.uint8)
    return image


def draw_command(rng, config, regions, runs, moves):
    """A legal command that waits for all before it; a transfer may lie outside."""
    if rng.random() < 0.25:
        return Command(Opcode.RUN, runs, moves, int(rng.integers(0, config.passes + 1)))
    opcode = _MOVES[rng.integers(3)]
    region = Region.X if opcode is Opcode.STORE else list(regions)[rng.integers(len(regions))]
    unit   = 2 if region in (Region.X, Region.Y) else 4
    size   = unit * int(rng.integers(1, 64))
    core   = region.value + unit * int(rng.integers(0, regions[region] // unit))
    return Command(opcode, runs, moves, int(rng.integers(DATA, SIZE)), core, size,
                   int(rng.integers(1, 5)), int(rng.integers(-70, 70)),
                   unit * int(rng.integers(-40, 40)))


def _changed(rng, words):
    """The words of a command with a few others."""
    words = words.copy()
    for place in rng.integers(0, COMMAND_WORDS, rng.integers(1, 3)).tolist():
        kind = rng.integers(3)
        if kind == 0:
            words[place] = rng.integers(0, 1 << 32)
        elif kind == 1:
            words[place] ^= np.uint32(1 << int(rng.integers(32)))
        else:
            words[place] = _EDGES[rng.integers(len(_EDGES))]
    return words


def _bounded(words):
    """The words with few rows if the transfer is long, so that it ends soon."""
    if int(words[4]) * int(words[5]) > _MOST and 0 < words[5] < 1 << 16:
        words[5] = 1 + words[5] % 4
    return words

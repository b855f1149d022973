"""Sizes of the core: lanes, ways and memory depths."""

import re
from dataclasses import dataclass, fields, replace

from .isa import BANKS, CELL_BITS, PASS_WORDS, TRACE_STRIDE, Engine, Op, Reduce

__all__ = ["BASE", "COMPACT", "CORES", "DEPTH", "FIELDS", "SIZES", "SLOTS", "SMALL", "TINY",
           "WAYS", "CoreConfig", "change_size", "find_size", "trace_words_at_once",
           "words_at_once"]

WAYS  = 1, 2, 4  #: Products a lane may form a cycle.
SLOTS = 4   #: Passes at most that are fetched and not written yet.
DEPTH = 53  #: Cycles from the last step of an output to its first column being readable, scaled.


_RAM_DEPTH = 512  # of a block RAM that is as wide as it can be
_ALL  = frozenset(Op) - {Op.NONE}
_SUMS = frozenset({Op.MAC, Op.MAX, Op.MIN})
_HEAP = frozenset({Reduce.RANK, Reduce.POP})


def words_at_once(passes):
    """Words that a program memory of so many passes gives in a cycle without more block RAMs."""
    return max(1, min(4, passes * PASS_WORDS // _RAM_DEPTH))


def trace_words_at_once(passes):
    """Words that a trace of so many records takes in a cycle without more block RAMs."""
    return max(1, min(2, passes * TRACE_STRIDE // _RAM_DEPTH))


@dataclass(frozen=True)
class CoreConfig:
    """Parameters of one core.

    Parameters
    ----------
    name : str
    ways : int, products a lane forms a cycle; 1, 2 or 4. Also the elements of a group and the
        elements the output stage finishes a cycle
    x_rows : int, depth of X memory in rows of ``lanes`` cells
    y_rows : int, depth of Y memory in rows of ``ways * lanes`` cells
    passes : int, passes the program memory holds; a power of two
    slots : int, passes that are fetched and not written yet, 2 or 4: with 4, short ones follow
        one another faster
    engine : Engine, what runs the passes

    ValueError for a value outside its set.
    """

    name:   str
    ways:   int
    x_rows: int
    y_rows: int
    passes: int
    slots:  int = 2
    engine: Engine = Engine.ARRAY

    def __post_init__(self):
        if self.ways not in WAYS:
            raise ValueError(f"Ways must be 1, 2 or 4, not {self.ways!r}")
        for field in ("x_rows", "y_rows"):
            rows = getattr(self, field)
            if rows % 512 or not 512 <= rows <= 4096:
                raise ValueError(f"{field} must be a multiple of 512 from 512 to 4096, "
                                 f"not {rows!r}")
        if self.slots not in (2, SLOTS):
            raise ValueError(f"Slots must be 2 or {SLOTS}, not {self.slots!r}")
        if self.passes & (self.passes - 1) or not 2 <= self.passes <= 256:
            raise ValueError(f"Passes must be a power of two from 2 to 256, not {self.passes!r}")

    @property
    def compact(self):
        """Whether it is the core of ``hdl.compact``, which lacks what its microprogram has no room
        for; see ``operations``."""
        return self.engine is Engine.MICROPROGRAM

    @property
    def own_tables(self):
        """Whether the host can write tables."""
        return not self.compact

    @property
    def operations(self):
        """Set of Op, those of a pass that the core executes; any other one ends in a fault."""
        return _SUMS if self.compact else _ALL - ({Op.SLIDE} if self.ways == 1 else set())

    @property
    def reductions(self):
        """Set of Reduce, those of a pass that the core executes; any other one ends in a fault."""
        return frozenset(Reduce) - (_HEAP if self.compact else frozenset()) - (
            frozenset() if self.ranges else {Reduce.RANGE})

    @property
    def ranges(self):
        """Whether it finds both extremes at once; in fewer lanes that saves little for its logic.
        """
        return self.ways == max(WAYS)

    @property
    def lanes(self):
        """Lanes, each with one accumulator."""
        return BANKS * self.ways

    @property
    def depth(self):
        """Cycles from the last step of an output to a step that may read what it has written."""
        return DEPTH + self.ways.bit_length() + self.ways - 1

    @property
    def products(self):
        """Products a cycle at full use: ``ways`` a lane; of the compact core one a cycle, and one
        cycle for those of all lanes."""
        return self.lanes / (self.lanes + 1) if self.compact else self.lanes * self.ways

    @property
    def x_bytes(self):
        """Capacity of X memory, bytes."""
        return self.x_rows * self.lanes * CELL_BITS // 8

    @property
    def y_bytes(self):
        """Capacity of Y memory, bytes."""
        return self.y_rows * self.ways * self.lanes * CELL_BITS // 8


TINY  = CoreConfig("tiny",  ways=1, x_rows=2048, y_rows=4096, passes=32)
SMALL = CoreConfig("small", ways=2, x_rows=2048, y_rows=2048, passes=64)
# 64 KiB of X and 320 KiB of Y: the activations and packed weights of any MLPerf Tiny network.
BASE  = CoreConfig("base",  ways=4, x_rows=2048, y_rows=2560, passes=128, slots=4)
SIZES = {size.name: size for size in (TINY, SMALL, BASE)}  #: Of the core of ``hdl.core``.
# What tiny has, with a microprogram in place of the array.
COMPACT = CoreConfig("compact", ways=1, x_rows=2048, y_rows=4096, passes=32,
                     engine=Engine.MICROPROGRAM)
CORES   = {**SIZES, COMPACT.name: COMPACT}  #: All that a host may meet.

#: What a size is made of, in the order of its name: ints alone.
FIELDS = tuple(field.name for field in fields(CoreConfig) if field.name not in ("name", "engine"))
#: Name of a size that has none of its own: a word, for modules and files are called by it.
_NAME  = "w{ways}_x{x_rows}_y{y_rows}_p{passes}_s{slots}"
_NAMED = re.compile(_NAME.replace("{", "(?P<").replace("}", r">\d{1,6})"))


def find_size(text):
    """The CoreConfig that ``text`` means, as a user writes it.

    ``base`` is a size by its name; ``ways=2,x_rows=1024`` names fields, ``tiny,x_rows=1024`` those
    in which it differs from the size in front; without one that is base. What has no name of its
    own is called ``w2_x1024_y2560_p128_s4``, however it was written, and is found by that, too.
    ValueError, one sentence, for anything else.
    """
    first, *words = text.split(",")
    named = _NAMED.fullmatch(first)
    if "=" in first:
        size, words = BASE, [first, *words]
    elif named:
        size = change_size(BASE, **{name: int(value) for name, value in named.groupdict().items()})
    elif first in CORES:
        size = CORES[first]
    else:
        raise ValueError(f"Size must be {', '.join(CORES)} or fields as in ways=2,x_rows=1024, "
                         f"not {first!r}")
    return change_size(size, **_parse_fields(words))


def _parse_fields(words):
    """Ints by field of words as ``ways=2``; ValueError for what is none, or comes twice."""
    values = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in FIELDS:
            raise ValueError(f"A field of a size must be {', '.join(FIELDS[:-1])} or {FIELDS[-1]}, "
                             f"not {name!r}")
        if name in values:
            raise ValueError(f"A field of a size must come once, {name} comes twice")
        if not re.fullmatch(r"-?\d{1,6}", value, re.ASCII):
            raise ValueError(f"{name} must be an int, not {value!r}")
        values[name] = int(value)
    return values


def change_size(size, **values):
    """``size`` with other fields, under its own name: that in ``CORES`` if it has one there.

    ValueError for a value outside its set, and for the compact core, which has one size.
    """
    new = replace(size, **values)
    if size.compact and new != size:
        name = next(name for name in values if getattr(new, name) != getattr(size, name))
        raise ValueError(f"{name} must be {getattr(size, name)} in size {size.name}, "
                         f"not {values[name]}")
    called = _NAME.format(**{name: getattr(new, name) for name in FIELDS})
    return next((known for known in CORES.values() if replace(known, name="") == replace(
        new, name="")), replace(new, name=called))

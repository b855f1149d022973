# SPDX-License-Identifier: Apache-2.0
"""Core sizes: lanes, MACs per lane, memory depths and optional functions."""

import re
from dataclasses import dataclass, fields, replace
from functools import cached_property

from .capabilities import Capabilities
from .isa import (
    BANKS,
    CELL_BITS,
    HELD,
    OPERATIONS,
    PASS_WORDS,
    SLIDE_ROWS,
    TRACE_STRIDE,
    Adjust,
    Dialect,
    Engine,
    Op,
)

__all__ = ["BASE", "COMPACT", "CORES", "DEPTH", "FEATURES", "FIELDS", "SIZES", "SLOTS", "SMALL",
           "TINY", "WAYS", "WIDTHS", "CoreConfig", "change_size", "find_size",
           "trace_words_at_once", "words_at_once"]

WAYS   = 1, 2, 4  #: Legal numbers of MACs per lane.
WIDTHS = 32, 64, 128  #: Legal data widths of a DMA, bits.
SLOTS = 4   #: Most passes that are fetched and not yet written.
DEPTH = 53  #: Cycles from the last step of a scaled output until its first column is readable.


_RAM_DEPTH = 512  # depth of a block RAM at its largest width

#: Optional functions, and the fewest MACs per lane of a core that can have them.
FEATURES = {"heap": 1, "extremes": 4, "window": 2, "comparison": 1}


def words_at_once(passes):
    """64-bit words read from program memory in a cycle without additional block RAMs."""
    return max(1, min(4, passes * PASS_WORDS // _RAM_DEPTH))


def trace_words_at_once(passes):
    """32-bit words written to trace memory in a cycle without additional block RAMs."""
    return max(1, min(2, passes * TRACE_STRIDE // _RAM_DEPTH))


@dataclass(frozen=True)
class CoreConfig:
    """A core size.

    Parameters
    ----------
    name : str
    ways : int, MACs per lane; 1, 2 or 4. Also the vector length, and the output stage's
        elements per cycle
    x_rows : int, X memory depth in rows of ``lanes`` 16-bit words
    y_rows : int, Y memory depth in rows of ``ways * lanes`` 16-bit words
    passes : int, capacity of program memory, passes; a power of two
    slots : int, most passes between fetch and last write, 2 or 4; with 4, short passes
        follow each other faster
    heap : int, 1 for ``Reduce.RANK`` and ``POP``, else 0
    extremes : int, 1 for ``Reduce.RANGE``; needs 4 ``ways``, smaller cores would save few cycles
    window : int, 1 for ``Op.SLIDE``; needs at least 2 ``ways``
    comparison : int, 1 for ``Op.MAX`` and ``Op.MIN``
    engine : Engine
    dma : None, or int, DMA data bits: 32, 64 or 128

    ValueError for a value outside its set.
    """

    name:   str
    ways:   int
    x_rows: int
    y_rows: int
    passes: int
    slots:  int = 2
    heap:       int = 1
    extremes:   int = 1
    window:     int = 1
    comparison: int = 1
    engine: Engine = Engine.ARRAY
    dma: int | None = None

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
        for field in FEATURES:
            if getattr(self, field) not in (0, 1):
                raise ValueError(f"{field} must be 0 or 1, not {getattr(self, field)!r}")
        if self.dma not in (None, *WIDTHS):
            raise ValueError(f"dma must be 32, 64 or 128, or 0 for no DMA, not {self.dma!r}")

    def has(self, feature):
        """True if the core has ``feature``, a name in ``FEATURES``."""
        return bool(getattr(self, feature)) and self.ways >= FEATURES[feature]

    @cached_property
    def capabilities(self):
        """The core's ``Capabilities``."""
        codes      = {code for code, operation in OPERATIONS.items() if self._includes(operation)}
        operations = frozenset(code for code in codes if isinstance(code, Op))
        return Capabilities(
            engine=self.engine, ways=self.ways, x_rows=self.x_rows, y_rows=self.y_rows,
            passes=self.passes, dialects=Dialect.MLI_1 | Dialect.MLI_2 | Dialect.XS3,
            operations=operations, reductions=frozenset(codes - operations),
            adjusts=frozenset(Adjust), held=HELD,
            window=SLIDE_ROWS if Op.SLIDE in operations else 0,
            tables=self.engine is Engine.ARRAY, dma=self.dma or 0)

    def _includes(self, operation):
        """True if the core has an Operation; a microprogram has no room for every operation."""
        fits = operation.micro or self.engine is Engine.ARRAY
        return fits and (operation.feature is None or self.has(operation.feature))

    @property
    def lanes(self):
        """Lane count; each lane has an accumulator."""
        return BANKS * self.ways

    @property
    def depth(self):
        """Cycles from an output's last step until a step may read the output."""
        return DEPTH + self.ways.bit_length() + self.ways - 1

    @property
    def products(self):
        """Products a cycle at full utilisation: ``ways`` a lane.

        A microprogram forms 1 product a cycle, and spends another cycle on every lane row.
        """
        if self.engine is Engine.MICROPROGRAM:
            return self.lanes / (self.lanes + 1)
        return self.lanes * self.ways

    @property
    def x_bytes(self):
        """X memory capacity, bytes."""
        return self.x_rows * self.lanes * CELL_BITS // 8

    @property
    def y_bytes(self):
        """Y memory capacity, bytes."""
        return self.y_rows * self.ways * self.lanes * CELL_BITS // 8


TINY  = CoreConfig("tiny",  ways=1, x_rows=2048, y_rows=4096, passes=32)
SMALL = CoreConfig("small", ways=2, x_rows=2048, y_rows=2048, passes=64)
# 64 KiB of X and 320 KiB of Y hold activations and packed weights of any MLPerf Tiny network.
BASE  = CoreConfig("base",  ways=4, x_rows=2048, y_rows=2560, passes=128, slots=4)
SIZES = {size.name: size for size in (TINY, SMALL, BASE)}  #: Named sizes of ``xymac.hdl.core``.
# tiny's memories, with a microprogram in place of the array.
COMPACT = CoreConfig("compact", ways=1, x_rows=2048, y_rows=4096, passes=32, heap=0,
                     engine=Engine.MICROPROGRAM)
CORES   = {**SIZES, COMPACT.name: COMPACT}  #: All named sizes.

#: Integer fields of a size, in the order in which its name lists them.
FIELDS = tuple(field.name for field in fields(CoreConfig) if field.name not in ("name", "engine"))
#: Generated name of an unnamed size, usable for modules and files; absent features follow it.
_NAME  = "w{ways}_x{x_rows}_y{y_rows}_p{passes}_s{slots}"
_NAMED = re.compile(_NAME.replace("{", "(?P<").replace("}", r">\d{1,6})")
                    + "".join(f"(?P<{name}>_no_{name})?" for name in FEATURES)
                    + r"(?:_dma(?P<dma>\d{1,3}))?")
_DIGITS = 6  # most digits of a field, far more than any legal value has


def find_size(text):
    """Parse a size from user input into a CoreConfig.

    ``base`` is a named size; ``ways=2,x_rows=1024`` lists differences from base, and
    ``tiny,x_rows=1024`` differences from tiny. An unnamed size has a generated name, which is also
    accepted: ``w2_x1024_y2560_p128_s4``, or ``w2_x1024_y2560_p128_s4_no_heap`` without a heap,
    ``w4_x2048_y2560_p128_s4_dma32`` with a DMA. ValueError, one sentence, for any other text.
    """
    first, *words = text.split(",")
    named = _NAMED.fullmatch(first)
    if "=" in first:
        size, words = BASE, [first, *words]
    elif named:
        size = change_size(BASE, **{name: named[name] is None if name in FEATURES else int(
            named[name] or 0) for name in FIELDS})
    elif first in CORES:
        size = CORES[first]
    else:
        raise ValueError(f"Size must be {', '.join(CORES)} or fields as in ways=2,x_rows=1024, "
                         f"not {first!r}")
    return change_size(size, **_parse_fields(words))


def _parse_fields(words):
    """Parse words such as ``ways=2`` into a dict; ValueError for an unknown or repeated field."""
    values = {}
    for word in words:
        name, _, value = word.partition("=")
        if word in CORES:
            raise ValueError(f"A size must begin with its name, {word!r} comes later")
        if name not in FIELDS:
            raise ValueError(f"A field of a size must be {', '.join(FIELDS[:-1])} or {FIELDS[-1]}, "
                             f"not {name!r}")
        if name in values:
            raise ValueError(f"A field of a size must come once, {name} comes twice")
        if not re.fullmatch(r"-?\d+", value, re.ASCII):
            raise ValueError(f"{name} must be an int, not {value!r}")
        if len(value) > _DIGITS:
            raise ValueError(f"{name} must have {_DIGITS} digits at most, not {value[:20]}")
        values[name] = int(value)
    return values


def change_size(size, **values):
    """Return ``size`` with changed fields, under its name in ``CORES`` or a generated name.

    A feature that needs more ``ways`` than the core has is normalised to 1, so that equal cores
    compare equal. ValueError for an illegal value, and for any change to the compact core.
    """
    values = {name: int(value or 0) for name, value in values.items()}
    new = replace(size, **values | {"dma": values.get("dma", size.dma) or None})
    if size.engine is Engine.MICROPROGRAM:
        if new != size:
            name = next(name for name in values if getattr(new, name) != getattr(size, name))
            raise ValueError(f"{name} must be {getattr(size, name) or 0} in size {size.name}, "
                             f"not {values[name]}")
        return size
    new = replace(new, name="", **{name: 1 for name, ways in FEATURES.items() if new.ways < ways})
    called = _NAME.format(**{name: getattr(new, name) for name in FIELDS}) + "".join(
        f"_no_{name}" for name in FEATURES if not getattr(new, name))
    called += f"_dma{new.dma}" if new.dma else ""
    return next((known for known in CORES.values() if replace(known, name="") == new),
                replace(new, name=called))

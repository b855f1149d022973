# SPDX-License-Identifier: Apache-2.0
"""Microcode: the steps in which ``Decode`` reads a command, checks it and passes it on.

A step adds an operand to the sum, or to 0, and marks events. It reads a scratch memory word:
words 0 .. 7 are the command. Events and stores see the sum from the steps before. An operand is
chosen while the step before adds: it does not see that step's ``Add``.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto

from amaranth.lib import enum

__all__ = ["CODE", "Add", "First", "Gate", "Go", "Read", "Slot", "Step", "target_of"]


class Slot(enum.Enum, shape=4):
    """Scratch memory words: the command's words, then results."""

    KIND        = 0
    WAITS       = 1
    OFFSET      = 2
    CORE        = 3
    SIZE        = 4
    ROWS        = 5
    STRIDE      = 6
    CORE_STRIDE = 7
    LAST        = 8   #: Bytes of a row, less 1.
    REACH       = 9   #: Without a negative stride, last byte of all rows minus the first.
    ADDRESS     = 10  #: Of the next command.
    LEFT        = 11  #: Bytes of the image from the next command on.
    SEEN        = 12  #: RUN commands, and transfers in the upper half.


class First(enum.Enum, shape=2):
    """The other summand of an operand."""

    SUM    = 0
    ZERO   = 1
    DOUBLE = 2  #: Twice the sum.
    RESET  = 3  #: The sum, but 0 if the rows go down.


class Gate(enum.Enum, shape=2):
    """When the operand counts; else it is 0."""

    ALWAYS = 0
    BIT    = 1  #: The highest bit of the multiplier is 1.
    UP     = 2  #: The rows go up.
    DOWN   = 3  #: The rows go down.


class Read(Enum):
    """Events that concern the word, in the cycle in which the operand is chosen."""

    KIND        = auto()
    ORDER       = auto()
    CORE        = auto()
    SIZE        = auto()
    ROWS        = auto()
    STRIDE      = auto()
    MULTIPLY    = auto()
    RUN_WAITS   = auto()
    RUN_FIRST   = auto()
    MOVE_WAITS  = auto()
    MOVE_CORE   = auto()
    MOVE_STRIDE = auto()
    MOVE_CORE_STRIDE = auto()
    MOVE_LAST   = auto()
    MOVE_REACH  = auto()


class Add(Enum):
    """Events that concern the sum, in the cycle in which the operand is added."""

    WRAPS     = auto()
    LEFT      = auto()
    ORDER     = auto()
    BITS      = auto()
    DENSE     = auto()
    MULTIPLY  = auto()
    DOWN      = auto()
    BELOW     = auto()
    FAR       = auto()
    MOVE_CORE = auto()


class Go(Enum):
    """Selection of the next step: the following step unless a condition holds."""

    ON      = auto()
    ASK     = auto()  #: Ask for the burst; to ``decide`` for a reason not to ask.
    TAKE    = auto()  #: Wait for the last beat.
    FAILED  = auto()  #: To ``decide`` after an error of the bus.
    KIND    = auto()  #: To ``decide`` unless the command is a transfer.
    REPEAT  = auto()  #: Stay until the multiplier is used up.
    FILL    = auto()  #: To ``inner`` for a FILL, which has no rows outside.
    DECIDE  = auto()  #: Stay if the list ends; else wait for room, and to ``run`` for a RUN.
    NEXT    = auto()  #: To ``done``.
    DONE    = auto()  #: To ``next``.


_TARGETS = {Go.ASK: "decide", Go.FAILED: "decide", Go.KIND: "decide", Go.FILL: "inner",
            Go.DECIDE: "run", Go.NEXT: "done", Go.DONE: "next"}


@dataclass(frozen=True)
class Step:
    """A step.

    Parameters
    ----------
    first : First
    word, base, size, list, limit : bool, operands; at most one is set
    minus, carry : bool, the operand inverted, and 1 added
    small, large : bool, 32 or 65,536 as operand
    gate : Gate
    slot : Slot to read; inner : bool, it is a place in the core within its region
    signed : bool, the word has a sign
    store : Slot for the sum, or None
    read : Read or None; add : Add or None
    go : Go
    label : str
    """

    first:  First = First.SUM
    word:   bool = False
    base:   bool = False
    size:   bool = False
    list:   bool = False
    limit:  bool = False
    minus:  bool = False
    carry:  bool = False
    small:  bool = False
    large:  bool = False
    gate:   Gate = Gate.ALWAYS
    slot:   Slot = Slot.KIND
    inner:  bool = False
    signed: bool = False
    store:  Slot | None = None
    read:   Read | None = None
    add:    Add | None = None
    go:     Go = Go.ON
    label:  str = ""


_SUB = {"minus": True, "carry": True}

_BEGIN = [
    Step(First.ZERO, store=Slot.SEEN),
    Step(base=True),
    Step(size=True),
    Step(minus=True),
    Step(First.ZERO, list=True, add=Add.WRAPS),
    Step(base=True),
    Step(First.ZERO, size=True, store=Slot.ADDRESS),
    Step(list=True, **_SUB)]

#: Steps that wait change nothing: ``Steps`` repeats them. The sum begins with ``Slot.LEFT``.
_NEXT = [
    Step(small=True, label="next", **_SUB),
    Step(First.ZERO, word=True, slot=Slot.ADDRESS, store=Slot.LEFT, add=Add.LEFT),
    Step(),
    Step(),
    Step(go=Go.ASK),
    Step(go=Go.TAKE),
    Step(small=True, go=Go.FAILED)]

_FORMAT = [
    Step(slot=Slot.KIND, store=Slot.ADDRESS, read=Read.KIND),
    Step(First.ZERO, word=True, slot=Slot.SEEN),
    Step(word=True, slot=Slot.WAITS, **_SUB),
    Step(slot=Slot.OFFSET, read=Read.ORDER, add=Add.ORDER, go=Go.KIND),
    Step(slot=Slot.CORE, read=Read.CORE),
    Step(slot=Slot.SIZE, read=Read.SIZE),
    Step(First.ZERO, word=True, slot=Slot.ROWS, read=Read.ROWS),
    Step(minus=True, slot=Slot.CORE_STRIDE, read=Read.STRIDE),
    Step(First.ZERO, word=True, slot=Slot.STRIDE, add=Add.BITS),
    Step(word=True, slot=Slot.SIZE, **_SUB),
    Step(First.ZERO, word=True, slot=Slot.SIZE, add=Add.DENSE),
    Step(minus=True),
    Step(First.ZERO, store=Slot.LAST, go=Go.FILL)]


def _extent(stride, place, *, inner):
    """Steps for the lowest and the highest byte of all rows, outside or in the core.

    A partial product of 2**33 or more cannot become smaller, so it lies outside. The sum begins and
    ends with 0.
    """
    return [
        Step(First.DOUBLE, word=True, slot=stride, signed=True, gate=Gate.BIT,
             read=Read.MULTIPLY, add=Add.MULTIPLY, go=Go.REPEAT, label="inner" if inner else ""),
        Step(add=Add.DOWN),
        Step(),
        Step(word=True, slot=Slot.LAST, gate=Gate.UP),
        Step(word=True, slot=place, inner=inner, store=None if inner else Slot.REACH),
        Step(First.RESET, word=True, slot=place, inner=inner, gate=Gate.DOWN, add=Add.BELOW),
        Step(word=True, slot=Slot.LAST, gate=Gate.DOWN),
        Step(size=not inner, limit=inner, **_SUB),
        Step(First.ZERO, add=Add.FAR)]


_EXTENT = [*_extent(Slot.STRIDE, Slot.OFFSET, inner=False),
           *_extent(Slot.CORE_STRIDE, Slot.CORE, inner=True)]

_DECIDE = [Step(label="decide"), Step(), Step(), Step(go=Go.DECIDE)]

_MOVE = [
    Step(First.ZERO, word=True, slot=Slot.OFFSET),
    Step(base=True, slot=Slot.WAITS, read=Read.MOVE_WAITS),
    Step(slot=Slot.CORE, read=Read.MOVE_CORE, add=Add.MOVE_CORE),
    Step(slot=Slot.STRIDE, read=Read.MOVE_STRIDE),
    Step(slot=Slot.CORE_STRIDE, read=Read.MOVE_CORE_STRIDE),
    Step(slot=Slot.LAST, read=Read.MOVE_LAST),
    Step(slot=Slot.REACH, read=Read.MOVE_REACH),
    Step(First.ZERO, word=True, slot=Slot.SEEN),
    Step(large=True, go=Go.NEXT)]

_RUN = [
    Step(slot=Slot.WAITS, read=Read.RUN_WAITS, label="run"),
    Step(slot=Slot.OFFSET, read=Read.RUN_FIRST),
    Step(First.ZERO, word=True, carry=True, slot=Slot.SEEN),
    Step(First.ZERO, word=True, slot=Slot.LEFT, store=Slot.SEEN, go=Go.DONE, label="done")]

#: All steps.
CODE = (*_BEGIN, *_NEXT, *_FORMAT, *_EXTENT, *_DECIDE, *_MOVE, *_RUN)
_LABELS = {step.label: number for number, step in enumerate(CODE) if step.label}
assert len(CODE) <= 1 << 6
_WAITS = (Go.TAKE, Go.DECIDE)
assert all(replace(step, label="") == Step(go=step.go) for step in CODE if step.go in _WAITS)


def target_of(step):
    """Number of the step that a Step may jump to; 0 for a Step without a jump."""
    return _LABELS.get(_TARGETS.get(step.go), 0)

# SPDX-License-Identifier: Apache-2.0
"""Microcode: the steps in which ``Decode`` reads a command, checks it and passes it on.

A step adds an operand to the sum, or to 0, and marks an event. It reads a scratch memory word:
words 0 .. 7 are the command. Events and stores see the sum from the steps before.
"""

from dataclasses import dataclass, replace

from amaranth.lib import enum

__all__ = ["CODE", "Event", "First", "Gate", "Go", "Slot", "Step", "target_of"]


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


class Event(enum.Enum, shape=5):
    """Events marked by a step."""

    NONE   = 0
    WRAPS  = 1
    BEYOND = 2
    LEFT   = 3
    KIND   = 4
    ORDER  = 5
    CORE   = 6
    SIZE   = 7
    ROWS   = 8
    STRIDE = 9
    BITS   = 10
    DENSE  = 11
    EXTENT = 12
    MULTIPLY = 13
    DOWN   = 14
    BELOW  = 15
    FAR    = 16
    RUN_WAITS = 17
    RUN_FIRST = 18
    MOVE_WAITS = 19
    MOVE_CORE = 20
    MOVE_STRIDE = 21
    MOVE_CORE_STRIDE = 22
    MOVE_LAST = 23
    MOVE_REACH = 24


class Go(enum.Enum, shape=4):
    """Selection of the next step: the following step unless a condition holds."""

    ON      = 0
    ASK     = 1  #: Ask for the burst; to ``decide`` for a reason not to ask.
    TAKE    = 2  #: Wait for the last beat.
    FAILED  = 3  #: To ``decide`` after an error of the bus.
    KIND    = 4  #: To ``decide`` unless the command is a transfer.
    REPEAT  = 5  #: Stay until the multiplier is used up.
    FILL    = 6  #: To ``inner`` for a FILL, which has no rows outside.
    DECIDE  = 7  #: Stay if the list ends; else wait for room, and go to ``run`` if it is a RUN.
    NEXT    = 8  #: To ``done``.
    DONE    = 9  #: To ``next``.


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
    event : Event
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
    event:  Event = Event.NONE
    go:     Go = Go.ON
    label:  str = ""


_SUB = {"minus": True, "carry": True}

_BEGIN = [
    Step(),  # the state after a reset: ``Steps`` takes the next step twice
    Step(First.ZERO, store=Slot.SEEN),
    Step(base=True),
    Step(size=True),
    Step(minus=True),
    Step(First.ZERO, list=True, event=Event.WRAPS),
    Step(base=True),
    Step(First.ZERO, size=True, store=Slot.ADDRESS),
    Step(list=True, **_SUB),
    Step(store=Slot.LEFT, event=Event.BEYOND)]

#: Steps that wait change nothing: ``Steps`` repeats them. The sum begins with ``Slot.LEFT``.
_NEXT = [
    Step(small=True, label="next", **_SUB),
    Step(First.ZERO, word=True, slot=Slot.ADDRESS, store=Slot.LEFT, event=Event.LEFT),
    Step(),
    Step(go=Go.ASK),
    Step(go=Go.TAKE),
    Step(small=True, go=Go.FAILED)]

_FORMAT = [
    Step(slot=Slot.KIND, store=Slot.ADDRESS, event=Event.KIND),
    Step(First.ZERO, word=True, slot=Slot.SEEN),
    Step(word=True, slot=Slot.WAITS, **_SUB),
    Step(slot=Slot.OFFSET, event=Event.ORDER, go=Go.KIND),
    Step(slot=Slot.CORE, event=Event.CORE),
    Step(slot=Slot.SIZE, event=Event.SIZE),
    Step(First.ZERO, word=True, slot=Slot.ROWS, event=Event.ROWS),
    Step(minus=True, slot=Slot.CORE_STRIDE, event=Event.STRIDE),
    Step(First.ZERO, word=True, slot=Slot.STRIDE, event=Event.BITS),
    Step(word=True, slot=Slot.SIZE, **_SUB),
    Step(First.ZERO, word=True, slot=Slot.SIZE, event=Event.DENSE),
    Step(minus=True),
    Step(store=Slot.LAST, go=Go.FILL)]


def _extent(stride, place, *, inner):
    """Steps for the lowest and the highest byte of all rows, outside or in the core.

    A partial product of 2**33 or more cannot become smaller, so it lies outside.
    """
    return [
        Step(First.ZERO, event=Event.EXTENT, label="inner" if inner else ""),
        Step(First.DOUBLE, word=True, slot=stride, signed=True, gate=Gate.BIT,
             event=Event.MULTIPLY, go=Go.REPEAT),
        Step(event=Event.DOWN),
        Step(word=True, slot=Slot.LAST, gate=Gate.UP),
        Step(word=True, slot=place, inner=inner, store=None if inner else Slot.REACH),
        Step(First.RESET, word=True, slot=place, inner=inner, gate=Gate.DOWN, event=Event.BELOW),
        Step(word=True, slot=Slot.LAST, gate=Gate.DOWN),
        Step(size=not inner, limit=inner, **_SUB),
        Step(event=Event.FAR)]


_EXTENT = [*_extent(Slot.STRIDE, Slot.OFFSET, inner=False),
           *_extent(Slot.CORE_STRIDE, Slot.CORE, inner=True)]

_DECIDE = [Step(label="decide"), Step(), Step(go=Go.DECIDE)]

_MOVE = [
    Step(First.ZERO, word=True, slot=Slot.OFFSET),
    Step(base=True, slot=Slot.WAITS, event=Event.MOVE_WAITS),
    Step(slot=Slot.CORE, event=Event.MOVE_CORE),
    Step(slot=Slot.STRIDE, event=Event.MOVE_STRIDE),
    Step(slot=Slot.CORE_STRIDE, event=Event.MOVE_CORE_STRIDE),
    Step(slot=Slot.LAST, event=Event.MOVE_LAST),
    Step(slot=Slot.REACH, event=Event.MOVE_REACH),
    Step(First.ZERO, word=True, slot=Slot.SEEN),
    Step(large=True, go=Go.NEXT)]

_RUN = [
    Step(slot=Slot.WAITS, event=Event.RUN_WAITS, label="run"),
    Step(slot=Slot.OFFSET, event=Event.RUN_FIRST),
    Step(First.ZERO, word=True, slot=Slot.SEEN),
    Step(carry=True),
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

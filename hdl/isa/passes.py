# SPDX-License-Identifier: Apache-2.0
"""A pass: a nested hardware loop over the memories X and Y.

Memory
------
X and Y are arrays of 16-bit words. A *lane* owns one column of X and ``ways`` columns of Y. Words
lie in linear order: word ``row * lanes + lane`` of X, word ``(row * ways + way) * lanes + lane``
of Y. A 16-bit element fills a word; two 8-bit elements share a word (see ``Width``). There are
always four *banks*: bank ``b`` contains lanes ``b * ways`` to ``b * ways + ways - 1``. A *vector*
of X is ``ways`` elements, one in each lane of a bank.

Pass
----
A pass runs this loop without a bubble (``pad``, ``step``, ``size`` belong to the two axes)::

    for a in range(outer[0]):
        for b in range(outer[1]):              # top = b * rows.step - rows.pad
            for c in range(outer[2]):          # left = c * cols.step - cols.pad
                acc[lane] = bias[a][lane] if bias else 0
                for i in range(taps[0]):       # only where 0 <= top + i < rows.size
                    for j in range(taps[1]):   # only where 0 <= left + j < cols.size
                        for k in range(taps[2]):
                            acc[lane] += dot(X[x.address], Y[y.address])
                for beat in range(beats):
                    write vector z.address + beat = output(acc[beat * ways : (beat + 1) * ways])

Operations other than ``MAC`` combine the step products in another way (see ``Op``).

The loop runs ahead of its writes, so no output may read a byte that an earlier output of its pass
writes; it may overwrite its own operands and earlier ones. Records are read once for each index
``a``, and a ``GATHER`` reads its whole Y window. The golden machine refuses other passes: on a core
their results depend on its timing, their status does not, and they write inside their window.

``CROSS`` is a ``MAC`` in which each bank of lanes reads its own X vector: bank ``b`` reads address
``address ^ b``, one of the four addresses that differ only in the two lowest bits. Over two or four
steps each bank thus reads all vectors of an aligned pair or quadruple, each bank in its own order.
The X window must start and end on a multiple of four vectors.

``SLIDE`` is a ``MAC`` with X by ``LANES`` and Y by ``VECTOR`` that reads every input column once.
An output row (an index of loop ``b``) reads columns in sequence, each from top to bottom. Output
``c = 0`` reads ``taps[1]`` columns in the order of ``j``; every other output reads only the column
of the last ``j``. A step multiplies the weight of MAC ``w`` by the element that the lane read ``w``
columns earlier in the same tap row, or by 0 if the output row has no such column. Only the last
column of an output adds to its accumulator. A column with ``c * cols.step + taps[1] - 1 >=
cols.size`` lies right of the image: it counts as 0, and its address is not checked.

``SHARE`` is a ``MAC`` that limits every accumulator to 32 bits and multiplies it by ``inverse``
before the shift.

``SPREAD`` is a ``MAC`` that writes each beat to vector ``z.address + beat * z.outer[0]``; its
outermost loop has a single index.

``GATHER`` is one sequence of steps over all loops; an X address counts elements, not vectors. Every
``lanes`` consecutive steps form one output; the last output may be shorter. Step ``s`` belongs to
lane ``s % lanes`` of output ``s // lanes``. With X address ``e`` it adds the dot product of vector
``e // ways`` with Y address ``y.address + lane * ways + e % ways``. Weights of 1 in this lane and
MAC, and 0 elsewhere, permute elements arbitrarily, one a cycle. Output ``o`` goes to vector
``z.base + o * BANKS``; the last output writes only vectors with a step. The Y window has ``lanes *
ways`` addresses and starts on a multiple of this number.

With ``floor`` the accumulator loses its low ``floor + FLOOR_BITS`` bits before the last step of an
output: the earlier partial sum is rounded towards minus infinity.

With ``hold`` a pass saves the accumulators in their lanes instead of writing them. Each lane saves
its accumulator as entry ``entry + a``, shifted, rounded and limited to ``acc_range``: 32-bit ranges
saturate; ``BITS40`` keeps the low 40 bits of a larger value and sets the overflow flag. With
``resume`` the accumulators of outermost index ``a`` start from this entry. Entries survive the end
of a program; after a fault their values are undefined.

``output`` wraps the sum to the accumulator width, shifts, rounds and clips it, and adds ``zero``;
an 8-bit output writes the low 8 bits. With a ``Scale`` each lane has per-channel parameters, both
divisions round by ``rounding``, ``limit`` saturates to the range of the ``Scale``, and ``shift`` is
unused::

    a       = limit(round(acc / 2**pre))       # 32 or 16 bits
    product = a * mul + addend                 # 64 bits
    element = clip(round(product / 2**post)) + zero

The per-channel parameters precede the bias in Y, in *records*. A record has as many rows as a bias,
with the same word order. For each ``a`` the first record holds ``mul | pre << 32 | post << 37`` (32
bits signed, 5 bits, 6 bits). With ``addend`` the next record holds the addend, 32 bits signed. The
last record is the bias. With ``once`` all indices ``a`` use the parameters of the first; only their
biases follow.

With ``RoundMode.TWICE`` a pass without addends uses the addend ``2**30`` where ``post`` is above
31, else 0. Bit 31 of an addend is ignored. It is replaced by bit 30 if the limited sum is negative,
else by 0: an addend of ``2**30`` thus takes the sum's sign. So the element is the sum times ``mul /
2**31``, rounded with halves up, then divided by ``2**(post - 31)`` and rounded again with halves
away from zero, as in TensorFlow Lite.

With a ``Table`` the result is looked up. Element ``e`` selects entry ``i = min(max((e >>
table_shift) + offset, 0), entries - 2)`` and fraction ``f = e & (1 << table_shift) - 1``. The
result is ``t[i] - round((t[i] - t[i + 1]) * f, table_shift)``; difference and result wrap to 16
bits. An 8-bit output is rounded by 8 more bits and saturated. The element may have 18 bits: the
range of a table in units of 1/256 of the distance between two entries. A memory with
``TABLE_ENTRIES`` entries holds the tables, each at the ``TablePlace`` for its code. The host can
write both; a reset does not change them.

With ``RANK`` the written elements enter a heap in sequence, with the smallest at the root. The
first ``entry + 1`` elements are stored in arrival order; then the heap is built by sifting from the
last parent up to the root. Each further element replaces the root, unless it is smaller, and sinks:
it moves down while a child is smaller, towards the smaller child, the left child if both are equal.
``fresh`` empties the heap and restarts the element numbers; the 16-bit number of an element is its
*place*. With ``POP`` each written vector moves the last element of the heap to the root and lets it
sink, unless it is the only element; the next element then starts a heap of the same size. Both
reductions define a range: ``maximum`` and ``minimum`` are ``32767 - place`` of the root, until a
``MAX`` or a ``MIN``. So an ``anchored`` pass adds ``place - 32767`` to its sum. The popping pass
itself may be anchored, because it pops when its vector is written. A heap does not survive the end
of a program.

With ``RANGE``, on cores with 4 MACs per lane, maximum and minimum cover the X elements read by the
steps, minus ``x_zero``, and not the written elements; X must be by ``LANES`` with 4 beats. They are
valid after the last step: a later pass uses them without ``wait``. If an earlier pass uses or
produces a range, a pass with ``RANGE`` must wait until the earlier pass is written.

An address is ``base + sum(index * stride)`` over the six loops (three for Z), then mapped by the
access mode inside the window ``[low, high]``. ``base`` belongs to tap (0, 0) of output (0, 0, 0)
and may lie outside the window where the padding clip removes this tap. An output without taps is a
fault. A step subtracts ``x_zero`` from every X element; clipped taps add nothing.

Passes can repeat: a pass with ``repeat`` sends the program back by ``back`` passes, ``repeat``
times, then the program continues. Loops do not nest. Two moves are 0 before a loop; each iteration
adds the ``advance`` values of the repeating pass. An access with a ``move`` adds it to its
``base``.
"""

from dataclasses import dataclass, fields, replace

from .codes import Scale
from .groups import Accumulate, Control, Epilogue, Loop, Operands, Reduction
from .sizes import BIAS_BITS

__all__ = ["PASS_FIELDS", "Pass", "bias_rows", "fields_of", "record_rows", "records"]

_GROUPS   = {"loop": Loop, "operands": Operands, "accumulate": Accumulate, "epilogue": Epilogue,
             "reduction": Reduction, "control": Control}
_GROUP_OF = {field.name: name for name, group in _GROUPS.items() for field in fields(group)}

PASS_FIELDS = tuple(_GROUP_OF)  #: Field names in all groups.


@dataclass(frozen=True, init=False)
class Pass:
    """A nested hardware loop; see the module docstring.

    ``Pass(loop=Loop(...), ...)`` takes field groups, ``Pass(outer=(1, 1, 8), x=..., ...)`` single
    fields by name; no name occurs in two groups. ``dataclasses.replace`` takes both as well. A
    field without a default is mandatory; TypeError names an unknown field.
    """

    loop:       Loop
    operands:   Operands
    accumulate: Accumulate
    epilogue:   Epilogue
    reduction:  Reduction
    control:    Control

    def __init__(self, *, loop=None, operands=None, accumulate=None, epilogue=None,
                 reduction=None, control=None, **named):
        given = {"loop": loop, "operands": operands, "accumulate": accumulate,
                 "epilogue": epilogue, "reduction": reduction, "control": control}
        parts = {name: {} for name in _GROUPS}
        for name, value in named.items():
            if name not in _GROUP_OF:
                raise TypeError(f"A pass has no field {name!r}")
            parts[_GROUP_OF[name]][name] = value
        for name, group in given.items():
            part = parts[name]
            if group is None:
                group = _GROUPS[name](**part)
            elif part:
                group = replace(group, **part)
            object.__setattr__(self, name, group)


def fields_of(pass_):
    """All pass fields by name: a dict over all groups."""
    return {name: value for group in _GROUPS for name, value in vars(getattr(pass_, group)).items()}


def bias_rows(ways):
    """Y rows for a bias, or for a record of per-channel parameters, over all lanes."""
    return -(-BIAS_BITS // (16 * ways))


def records(pass_):
    """Record count in Y for a pass's first outermost index, the bias included.

    Every other index has as many records; with ``once`` it has only a bias.
    """
    epilogue = pass_.epilogue
    if pass_.accumulate.bias_row is None:
        return 0
    return 1 + (epilogue.scale is not Scale.NONE) + epilogue.addend


def record_rows(pass_, ways):
    """Y rows occupied by all records of a pass."""
    first, more = records(pass_), pass_.loop.outer[0] - 1
    return bias_rows(ways) * (first + more * (1 if pass_.epilogue.once else first))

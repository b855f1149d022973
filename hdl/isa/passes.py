"""A pass: one nested loop of the hardware over the memories X and Y.

Memory
------
X and Y are arrays of 16-bit cells. A *lane* owns one column of X and ``ways`` columns of Y. Cells
lie in linear order: cell ``row * lanes + lane`` of X, cell ``(row * ways + way) * lanes + lane``
of Y. A 16-bit element fills a cell; two 8-bit elements share one (see ``Width``). There are always
four *banks*: bank ``b`` is lanes ``b * ways`` to ``b * ways + ways - 1``.

Pass
----
A pass is this loop, run without a bubble (``pad``, ``step``, ``size`` belong to the two axes)::

    for a in range(outer[0]):
        for b in range(outer[1]):              # top = b * rows.step - rows.pad
            for c in range(outer[2]):          # left = c * cols.step - cols.pad
                acc[lane] = bias[a][lane] if bias else 0
                for i in range(taps[0]):       # only where 0 <= top + i < rows.size
                    for j in range(taps[1]):   # only where 0 <= left + j < cols.size
                        for k in range(taps[2]):
                            acc[lane] += dot(X[x.address], Y[y.address])
                for beat in range(beats):
                    write group z.address + beat = output(acc[beat * ways : (beat + 1) * ways])

Operations other than ``MAC`` combine the products of the steps in another way (see ``Op``).
A ``CROSS`` is a ``MAC`` whose banks of lanes have groups of X of their own: bank ``b`` that at
``address ^ b``, one of the four that share all but the two lowest bits of their address. So in as
many steps each bank meets all groups of an aligned pair, or all four, in an order of its own. The
window of X is whole fours then.
A ``SLIDE`` is a ``MAC`` of X by ``LANES`` and Y by ``VECTOR`` that reads each column once. A row of
outputs (one index of loop ``b``) reads column after column, each from top to bottom: output ``c =
0`` reads ``taps[1]`` of them, in the order of ``j``, each other output the last ``j`` alone. A step
multiplies way ``w`` by the element that its lane read ``w`` columns ago in the same row of taps,
and 0 where the row of outputs has no such column. Only the last column of an output adds to its
sum. A column counts as 0, and its address is not checked, where ``c * cols.step + taps[1] - 1 >=
cols.size``: beyond the image on the right.
A ``SHARE`` is a ``MAC`` whose sums, limited to 32 bits, are multiplied by ``inverse`` before they
are shifted.
A ``SPREAD`` is a ``MAC`` whose beat goes to group ``z.address + beat * z.outer[0]``; it has one
outermost index. In a ``GATHER`` an address of X counts elements, not groups, and all loops together
are one row of steps. Step ``s`` belongs to lane ``s % lanes`` of output ``s // lanes``: with ``e``
the address of X, it adds the dot product of group ``e // ways`` with address ``y.address + lane *
ways + e % ways`` of Y. So weights that are 1 in that lane and way, and 0 elsewhere, move any
elements to any order, one a cycle. Output ``o`` goes to ``z.base + o * BANKS``, of the last one as
many groups as have a step. The window of Y is ``lanes * ways`` addresses from a multiple of as many
on.
With ``floor`` the sum that the last step of an output adds to loses its low ``floor +
FLOOR_BITS`` bits: what came before is rounded by itself, towards minus infinity.
With ``hold`` the sums of all lanes are not written: a lane keeps its own, shifted, rounded and
limited to ``acc_range`` (saturated to 32 bits; of more than 40 the low 40 are kept, and the
overflow flag is set), as entry ``entry + a``. With ``resume`` the sums of output group ``a`` begin
with that entry. Entries outlive a program; after a fault they are undefined.

``output`` shifts the sum, wrapped to the accumulator, rounds and clips it, and adds ``zero``; of
what 8 bits cannot hold the low 8 bits are written. With a ``Scale`` each lane has parameters of its
own, both divisions are rounded by ``rounding``, ``limit`` saturates to the range of the ``Scale``,
and ``shift`` is not used::

    a       = limit(round(acc / 2**pre))       # 32 or 16 bits
    product = a * mul + addend                 # 64 bits
    element = clip(round(product / 2**post)) + zero

These parameters lie in front of the bias, in *records* of as many rows as a bias has, in the same
order of cells: for each ``a`` first ``mul | pre << 32 | post << 37`` (32 bits signed, 5 bits, 6
bits), then the addend, 32 bits signed, if the pass says ``addend``, then the bias. With ``once``
the parameters of the first ``a`` are those of all: the biases of the others follow without any.

With ``RoundMode.TWICE`` a pass without addends has those of ``2**30`` where ``post`` is above 31,
else 0. Bit 31 of an addend does not count: it is bit 30 where the limited sum is below 0, else 0,
so that an addend of ``2**30`` has the sign of that sum. So the element is the sum times ``mul /
2**31`` rounded, halves up, and that divided by ``2**(post - 31)`` and rounded once more, halves
away from zero, as TensorFlow Lite does it.

With a ``Table`` what comes out is looked up: of the element ``e``, ``i = min(max((e >> table_shift)
+ offset, 0), entries - 2)`` is the entry and ``f = e & (1 << table_shift) - 1`` the way to the
next, and the result is ``t[i] - round((t[i] - t[i + 1]) * f, table_shift)``, the difference and the
result wrapped to 16 bits, for an 8-bit output rounded by 8 bits once more and saturated. The
element may have 18 bits then: the range of a table in steps of a 256th of the way between two
entries. Tables lie in a memory of ``TABLE_ENTRIES`` entries, each at a ``TablePlace`` that its code
stands for. The host can write both; a reset leaves them as they are.

With ``RANK`` the elements that are written enter a heap, in their order, smallest at the root: the
first ``entry + 1`` as they come, and with the last of them the heap is made, sifting from its last
parent to its root. From then on an element that is not smaller than the root takes its place and
is sifted: it goes down while a child is smaller, to the smaller child, of equal ones to the left.
``fresh`` begins with no elements and counts them anew, each by a *place* of 16 bits. With ``POP``
each group that is written puts the last element of the heap in place of the root and sifts it,
unless it is the only one; an element after that begins a heap of the same size. Both leave a range:
``maximum`` and ``minimum`` are ``32767 - place`` of the root, until a ``MAX`` or a ``MIN``. So an
``anchored`` pass writes ``place - 32767`` more than its sum. A pass that pops can be that pass, for
it pops when its group is written. No heap outlives a program.

With ``RANGE``, on cores of 4 ways, maximum and minimum are those of the elements of X that steps
read, X by ``LANES`` with 4 beats, less ``x_zero``; what is written does not count. They stand from
the last step on: a pass behind uses them without ``wait``. But one before that uses or makes a
range must have been written, so a pass with ``RANGE`` waits behind it.

An address is ``base + sum(index * stride)`` over the six loops (three for Z), then mapped by the
access mode inside the window ``[low, high]``. ``base`` belongs to tap (0, 0) of output (0, 0, 0)
and may lie outside the window where the border clips it. A window without taps is a fault. Of every
element of X that a step reads ``x_zero`` is taken off; what the border clips adds nothing.

Passes can repeat: after a pass with ``repeat`` the program goes back ``back`` passes, as often as
``repeat`` says, and then on. Loops do not nest. Two moves are 0 before a loop and grow by
``advance`` of that pass each time it goes back; the ``base`` of an access with a ``move`` is more
by it.
"""

from dataclasses import dataclass, fields, replace

from .codes import Scale
from .groups import Accumulate, Control, Epilogue, Loop, Operands, Reduction
from .sizes import BIAS_BITS

__all__ = ["PASS_FIELDS", "Pass", "bias_rows", "fields_of", "record_rows", "records"]

_GROUPS   = {"loop": Loop, "operands": Operands, "accumulate": Accumulate, "epilogue": Epilogue,
             "reduction": Reduction, "control": Control}
_GROUP_OF = {field.name: name for name, group in _GROUPS.items() for field in fields(group)}

PASS_FIELDS = tuple(_GROUP_OF)  #: Names of the fields of all groups.


@dataclass(frozen=True, init=False)
class Pass:
    """One nested loop of the hardware; see above.

    ``Pass(loop=Loop(...), ...)`` takes groups, ``Pass(outer=(1, 1, 8), x=..., ...)`` the fields of
    groups by name; every name is in one group alone. ``dataclasses.replace`` takes both as well.
    A field without a default must be given; TypeError names the field that no group has.
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
    """The fields of all groups of a pass by name."""
    return {name: value for group in _GROUPS for name, value in vars(getattr(pass_, group)).items()}


def bias_rows(ways):
    """Rows of Y that hold the bias of one output of every lane, or one record of parameters."""
    return -(-BIAS_BITS // (16 * ways))


def records(pass_):
    """Records of Y that the first outermost index of a pass has, the bias included.

    So have the others, but with ``once`` they have a bias alone.
    """
    epilogue = pass_.epilogue
    if pass_.accumulate.bias_row is None:
        return 0
    return 1 + (epilogue.scale is not Scale.NONE) + epilogue.addend


def record_rows(pass_, ways):
    """Rows of Y that all records of a pass take."""
    first, more = records(pass_), pass_.loop.outer[0] - 1
    return bias_rows(ways) * (first + more * (1 if pass_.epilogue.once else first))

# SPDX-License-Identifier: Apache-2.0
"""Random programs whose passes make scalars, use them, and save and resume sums."""

import re
from dataclasses import replace

from tests.support.random_passes import random_pass, without_faults
from tests.support.rtl_device import run_machine
from xymac.golden.machine.machine import ProgramError
from xymac.hdl.isa import HELD, Adjust, Op, Reduce, Shape, Table, pack

__all__ = ["draw_program"]

_MOST = 6  #: Passes of a program.
_RANGE_USES = ({"anchored": True}, {"adjust": Adjust.SHIFT}, {"adjust": Adjust.TABLE})
_SUM_USES   = ({"inverted": True}, {"adjust": Adjust.PLACES},
               {"op": Op.SHARE, "adjust": Adjust.PLACES, "floor": 0})
#: Reductions of a program, and fields of passes that use their scalars.
_SCALARS = (((Reduce.MAX, Reduce.MIN, Reduce.RANGE), _RANGE_USES),
            ((Reduce.RANGE,), _RANGE_USES), ((Reduce.SUM,), _SUM_USES),
            ((Reduce.RANK, Reduce.POP), ({"anchored": True},)),
            (tuple(Reduce), (*_RANGE_USES, *_SUM_USES)))


def draw_program(rng, config, seed):
    """A list of passes and its Snapshot on the golden machine, from the noise of ``seed``.

    Passes wait where the machine asks for it, and elsewhere now and then.
    """
    while True:
        passes = _draw(rng, config)
        for _ in range(_MOST + 1):
            try:
                return passes, run_machine(config, passes, seed=seed)
            except ProgramError as error:
                early = re.match(r"Pass (\d+) must wait", str(error))
            if early is None:
                break  # reads its own results
            index = int(early[1])
            passes[index] = replace(passes[index], wait=True)


def _draw(rng, config):
    passes, saved, count = [], set(), int(rng.integers(1, _MOST + 1))
    makes, uses = _SCALARS[int(rng.integers(len(_SCALARS)))]
    for index in range(count):
        last  = index == count - 1
        draw  = random_pass if last and rng.random() < 0.4 else without_faults
        pass_ = _changed(rng, draw(rng, config), lambda rng: _fields(rng, makes, uses))
        if saved and not pass_.accumulate.hold and rng.random() < 0.3:
            entry = int(rng.choice(sorted(saved)))
            pass_ = _changed(rng, pass_, lambda rng, entry=entry: {
                "resume": True, "entry": entry, "bias_row": None, "op": Op.MAC, "single": True})
        if pass_.accumulate.hold:
            first  = pass_.accumulate.entry
            saved |= set(range(first, first + pass_.loop.outer[0]))
        passes.append(replace(pass_, wait=rng.random() < 0.1, last=last))
    return passes


def _fields(rng, makes, uses):
    """Fields that make, use or save scalars and sums; not every combination is a pass."""
    fields, kind = {}, rng.random()
    if kind < 0.5:
        fields = {"reduce": makes[int(rng.integers(len(makes)))], "fresh": bool(rng.integers(2)),
                  "drop": int(rng.integers(0, 4))}
        if fields["reduce"] in (Reduce.RANK, Reduce.POP):
            fields |= {"beats": 1, "entry": int(rng.integers(0, HELD))}
        if fields["reduce"] is Reduce.RANGE:
            fields |= {"beats": 4, "x_shape": Shape.LANES}
    elif kind > 0.9:
        fields = {"hold": True, "beats": 4, "table": Table.NONE,
                  "entry": int(rng.integers(0, HELD - 2))}
    if 0.4 < kind < 0.9:
        fields |= uses[int(rng.integers(len(uses)))]
    return fields


def _changed(rng, pass_, draw):
    """The pass with fields of ``draw``; as it is if none of some draws is a pass."""
    for _ in range(20):
        fields = draw(rng)
        if fields.pop("single", False):
            fields["outer"] = (1, *pass_.loop.outer[1:])
        try:
            changed = replace(pass_, **fields)
            pack(changed)
        except ValueError:
            continue
        return changed
    return pass_

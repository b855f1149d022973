# SPDX-License-Identifier: Apache-2.0
"""Pass fields for an output stage bench, each in its stage's cycle."""

from xymac.hdl.core.fields import STAGES, OutputConfig
from xymac.hdl.isa import SHIFT_MIN, AccumulatorRange, Op, RoundMode
from xymac.sim.agents.stream import encode

__all__ = ["fields_of", "travel"]

_HELD = 22  # a shift by so much more leaves 18 of 40 bits


def _places(table):
    """A TablePlace's index and place; None for no table."""
    if table is None:
        return {"index": {}, "bound": {}, "place": {}}
    return {"index": {"top": table.entries - 2 - table.offset},
            "bound": {"span": table.entries - 2}, "place": {"half": table.first // 2}}


def fields_of(config, marks):
    """The stages' fields, by stage, for a sum with ``marks`` in the pass ``config``.

    ``config`` has pass fields, and ``anchor``, ``halve`` and ``inverse`` as scalars left them;
    ``looks`` is whether it looks elements up, by default with a ``table``. The ``marks`` are keep,
    short and scaled.
    """
    inverted  = bool(config.get("inverted", 0))
    low, high = config["clip"]
    bottom    = config["inverse"] if inverted else low + config.get("zero", 0)
    wide      = config["acc_range"] is AccumulatorRange.BITS40
    halve, held, keep = config.get("halve", 0), config.get("held", 0), marks.get("keep", 0)
    scaled, short = marks.get("scaled", 0), marks.get("short", 0)
    looks  = config.get("looks", config["table"] is not None) and not inverted
    left   = 15 - config.get("table_shift", 0) if looks else 8 * (not config["wide"])
    amount = min(config.get("shift", 0) - SHIFT_MIN + halve + _HELD * held, 63)
    weigh  = config.get("table_rounding", RoundMode.UP)
    return {
        "shift": {"wide": wide, "keep": keep, "less": ~config.get("anchor", 0), "scaled": scaled,
                  "post": scaled and config.get("op") is not Op.SHARE, "halve": halve,
                  "amount": amount},
        "round": {"rounding": config["rounding"]},
        "flag": {"held": held and keep, "short": short, "high": high},
        "compare": {"span": high - low}, "clip": {"bottom": bottom, "fixed": inverted},
        "fine": {"amount": left & 3},
        "coarse": {"amount": left >> 2, "wide": config["wide"], "short": short},
        **_places(config["table"]), "read": {"looks": looks}, "weigh": {"rounding": weigh},
        "take": {"looks": looks}, "narrow": {"rounding": weigh, "wide": config["wide"]}}


def travel(items):
    """OutputConfig for every cycle: each stage has the fields for the item that it holds.

    ``items`` enter, at most an item a cycle; None for a cycle without an item.
    """
    cycles = [0] * (len(items) + max(STAGES.values()))
    for number, item in enumerate(items):
        for stage, fields in (item or {}).items():
            cycles[number + STAGES[stage]] |= (
                encode(OutputConfig[stage].shape, fields) << OutputConfig[stage].offset)
    return cycles

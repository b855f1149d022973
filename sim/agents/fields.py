"""Fields of passes for a bench of the output stages, each in the cycle of its stage."""

from hdl.core.fields import STAGES, OutputConfig
from hdl.isa import SHIFT_MIN, AccumulatorRange, RoundMode
from sim.agents.stream import encode

__all__ = ["fields_of", "travel"]

_HELD = 22  # a shift by so much more leaves 18 of 40 bits


def _places(table):
    """Index and place of a TablePlace; None for no table."""
    if table is None:
        return {"index": {}, "bound": {}, "place": {}}
    return {"index": {"offset": table.offset, "top": table.entries - 2 - table.offset},
            "bound": {"span": table.entries - 2}, "place": {"half": table.first // 2}}


def fields_of(config, marks):
    """The stages' fields, by stage, of a sum with ``marks`` of a pass that is ``config``.

    ``config`` has fields of a pass, and ``anchor``, ``halve`` and ``inverse`` as scalars left them;
    the ``marks`` keep, short, scaled and shared.
    """
    inverted = config.get("inverted", 0)
    limits   = (0, 0) if inverted else config["clip"]
    zero     = config["inverse"] if inverted else config.get("zero", 0)
    wide     = config["acc_range"] is AccumulatorRange.BITS40
    halve, held, keep = config.get("halve", 0), config.get("held", 0), marks.get("keep", 0)
    scaled, short = marks.get("scaled", 0), marks.get("short", 0)
    left   = 15 - config.get("table_shift", 0)
    amount = min(config.get("shift", 0) - SHIFT_MIN + halve + _HELD * held, 63)
    weigh  = config.get("table_rounding", RoundMode.UP)
    return {
        "subtract": {"anchor": -config.get("anchor", 0), "wide": wide, "keep": keep,
                     "scaled": scaled},
        "shift": {"scaled": scaled, "post": scaled and not marks.get("shared", 0), "halve": halve,
                  "amount": amount},
        "round": {"rounding": config["rounding"]}, "flag": {"held": held and keep, "short": short},
        "compare": {"limits": limits}, "clip": {"limits": limits, "zero": zero},
        "coarse": {"amount": left >> 2, "wide": config["wide"], "short": short},
        "fine": {"amount": left & 3}, **_places(config["table"]), "weigh": {"rounding": weigh},
        "narrow": {"rounding": weigh, "wide": config["wide"],
                   "looks": config["table"] is not None and not inverted}}


def travel(items):
    """OutputConfig of every cycle: each stage has the fields of the item that is there then.

    ``items`` enter one a cycle, None where none does.
    """
    cycles = [0] * (len(items) + max(STAGES.values()))
    for number, item in enumerate(items):
        for stage, fields in (item or {}).items():
            cycles[number + STAGES[stage]] |= (
                encode(OutputConfig[stage].shape, fields) << OutputConfig[stage].offset)
    return cycles

"""What an instruction sets beside the registers: how the steps of a pass run."""

from amaranth import Signal

from hdl.compact.micro.code import Special
from hdl.isa import Op, RoundMode, State

__all__ = ["make_specials", "set_specials"]

_SHAPES = (
    (Special.LANE, 2), (Special.ROUNDING, RoundMode),
    (Special.DATA, 16), (Special.PASS, 5), (Special.X, 16), (Special.Y, 14),
    (Special.X_STRIDE, 16), (Special.Y_STRIDE, 14), (Special.COUNT, 16),
    (Special.X_ZERO, 16), (Special.X_WIDE, 1), (Special.Y_WIDE, 1), (Special.Z_WIDE, 1),
    (Special.Z_MEMORY, 1), (Special.X_LANES, 1), (Special.BEATS, 2),
    (Special.KIND, Op), (Special.STATE, State), (Special.READY, 1))


def make_specials():
    """Return the signals of all that is kept, by ``Special``."""
    return {special: Signal(shape, name=f"special_{special.name.lower()}")
            for special, shape in _SHAPES}


def set_specials(m, kept, word, sets, value):
    """Set what the instruction ``word`` names to ``value`` when ``sets``.

    Returns by ``Special`` whether it is set, of those that nothing keeps as well.
    """
    names = {special: Signal(name=f"sets_{special.name.lower()}") for special in Special}
    for special, chosen in names.items():
        m.d.comb += chosen.eq(sets & (word.d[:5] == special))
        if special in kept:
            with m.If(chosen):
                m.d.sync += kept[special].eq(value)
    return names

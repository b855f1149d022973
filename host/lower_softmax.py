"""Softmax as passes: the range of the input, exponentials, their sum, and their share of it.

Maximum, minimum and sum are scalars of the core, and so is what follows from them; see
``hdl.isa``. Nothing depends on the data but those scalars, so the program is the same for all.
"""

from dataclasses import dataclass, replace

import numpy as np

from hdl.config import BANKS
from hdl.isa import TABLES, Access, Adjust, Memory, Op, Reduce, RoundMode, Shape, Table, Width

from .activation_mli1 import TABLE_SHIFT_MAX
from .constants import lane_words
from .formats import blank_output
from .image import Image
from .shifts import shift_fields
from .sweep import elementwise, sweep

__all__ = ["constants", "lower", "source_images", "target_image"]


@dataclass(frozen=True)
class _Stretch:
    """Groups with padding at the end only: the first group, how many, elements of padding."""

    first:  int
    groups: int
    drop:   int


def source_images(layer, xs, wish, ways):
    """As it comes: a single run has no padding inside."""
    return (Image.flat(xs[0], ways),)


def target_image(layer, xs, sources):
    """The output lies as the input does."""
    return sources[0].like(blank_output(layer, *xs))


def constants(layer, xs, sources):
    """A word of ones, and a row for the inverse of the sum."""
    return lane_words(np.ones(1, np.int8), sources[0].ways, room=1)


def lower(layer, xs, sources, target, values):
    """Passes of a softmax; see ``host.lowering.lower``."""
    [x], [source] = xs, sources
    one    = values.word(0, 8, source.ways)
    spans  = _stretches(source)
    passes = [pass_ for op, kind in ((Op.MAX, Reduce.MAX), (Op.MIN, Reduce.MIN))
              for pass_ in _extreme(op, kind, source, target, one, spans)]
    powers = _over(spans, source, elementwise(
        source.bits, target.bits, x=source.access(), y=one, z=target.access(), anchored=True,
        table=Table.EXP, table_rounding=layer.rounding, **_exponents(x.frac_bits)))
    passes += _reduced(powers, Reduce.SUM)
    inverse = _inverse_row(values, source.ways)
    passes.append(elementwise(
        source.bits, 16, x_shape=Shape.VECTOR, x=source.access(), y=one, z=inverse,
        z_memory=Memory.Y, inverted=True))
    share = elementwise(
        target.bits, target.bits, x=target.access(), z=target.access(), y_width=Width.BITS16,
        y=_word(inverse, source.ways), adjust=Adjust.PLACES,
        **shift_fields(16 - target.bits, layer.rounding))
    return passes + [pass_ for pass_, _ in _over(spans, source, share)]


def _stretches(image):
    """Stretches of an image; one if no padding parts its elements."""
    groups = [-(-part // image.ways) for part in image.parts]
    drops  = [-part % image.ways for part in image.parts]
    runs   = image.groups // image.pitch
    if not any(drops) or runs == len(groups) == 1:
        return [_Stretch(0, image.groups, drops[-1])]
    starts = [image.pitch * run + sum(groups[:part]) for run in range(runs)
              for part in range(len(groups))]
    return [_Stretch(start, *rest) for start, *rest
            in zip(starts, groups * runs, drops * runs, strict=True)]


def _over(spans, source, pass_):
    """``pass_`` over all stretches: [(pass, elements that its last group has too many)]."""
    found = []
    for span in spans:
        x, z = (replace(access, base=access.base + span.first) for access in (pass_.x, pass_.z))
        parts = sweep(replace(pass_, x=x, z=z), span.groups, (BANKS, 0, BANKS))
        found += [(part, 0) for part in parts[:-1]] + [(parts[-1], span.drop)]
    return found


def _reduced(parts, kind):
    """Passes that fold what they write into one scalar."""
    return [replace(pass_, reduce=kind, fresh=index == 0, drop=drop)
            for index, (pass_, drop) in enumerate(parts)]


def _extreme(op, kind, source, target, one, spans):
    """Fold an extreme: whole outputs lane by lane into one, what is left over as it is.

    The target serves as scratch.
    """
    parts = []
    for span in spans:
        whole = (span.groups - bool(span.drop)) // BANKS
        rest  = span.groups - whole * BANKS
        base  = elementwise(source.bits, source.bits, y=one, op=op,
                            x=source.access(offset=span.first), z=_scratch(source, target))
        if whole:
            taps = (0, 0, BANKS)
            parts.append((replace(base, taps=(1, 1, whole), x=replace(base.x, taps=taps)), 0))
        if rest:
            left = replace(base.x, base=base.x.base + whole * BANKS)
            parts.append((replace(base, x=left, beats=rest), span.drop))
    return _reduced(parts, kind)


def _scratch(source, target):
    """The first groups of the target, in elements like those of the source."""
    return replace(target, bits=source.bits).access()


def _exponents(frac_bits):
    """Fields of a look-up of ``exp(element / 2**frac_bits)``.

    Halved elements have one bit less behind the point; what that shortens is the table's shift,
    or beyond its limits the shift before.
    """
    shift  = frac_bits - TABLES[Table.EXP].frac_bits
    inside = min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), "table_shift": inside,
            "adjust": Adjust.TABLE if 0 < shift <= TABLE_SHIFT_MAX else Adjust.SHIFT,
            **shift_fields(shift - inside, RoundMode.FLOOR)}


def _inverse_row(values, ways):
    """Access to the first word of the room by groups, 16-bit elements of Y."""
    base = values.room_row * BANKS * ways
    return Access(base=base, low=base, high=base + BANKS - 1)


def _word(groups, ways):
    """Access to the same word by lanes."""
    base = groups.base // BANKS
    return Access(base=base, low=base, high=base)

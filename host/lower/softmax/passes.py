"""Softmax as passes: the range of the input, exponentials, their sum, and their share of it.

Maximum, minimum and sum are scalars of the core, and so is what follows from them; see
``hdl.isa``. Nothing depends on the data but those scalars, so the program is the same for all.
"""

from dataclasses import dataclass, replace

import numpy as np

from golden import mli2
from golden.mli1 import Softmax
from hdl.isa import BANKS, Access, Adjust, Memory, Op, Reduce, Scale, Shape, Width
from host.lower.sweep import elementwise, sweep
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.packing import pack_records

from . import mli1 as softmax_mli1
from . import mli2 as softmax_mli2
from .slices import first_run, looped, run_error, run_image, slices

__all__ = ["DESCRIBED", "constants", "lower", "source_layouts", "target_layout"]

#: Layers, and the module that describes them as shares of a sum.
DESCRIBED = {Softmax: softmax_mli1, mli2.Softmax: softmax_mli2}


@dataclass(frozen=True)
class _Stretch:
    """Groups with padding at the end only: the first group, how many, elements of padding."""

    first:  int
    groups: int
    drop:   int


def _describe(layer, x):
    return DESCRIBED[type(layer)].describe(layer, x)


def source_layouts(layer, xs, wish, ways):
    """As it comes: a single run has no padding inside. A run for each sum if there are several."""
    [x] = xs
    return (run_image(_describe(layer, x).axis, x, ways),)


def target_layout(layer, xs, sources):
    """The output lies as the input does, exponentials that are wider behind it.

    ValueError unless the elements of a sum are a run by themselves.
    """
    [x], [source] = xs, sources
    shares, image = _describe(layer, x), source.like(blank_output(layer, x))
    if slices(shares.axis, x) > 1 and (source.inner != 1 or source.order[-1] != shares.axis):
        raise run_error(shares.axis, source)
    if shares.bits == image.bits:
        return image
    return replace(image, behind=replace(image, bits=shares.bits).rows)


def constants(layer, xs, sources):
    """A word of zeros and one of ones, parameters, and a row for the inverse of the sum."""
    ways, shares = sources[0].ways, _describe(layer, xs[0])
    words = lane_words(np.array([0, 1], np.int8), ways, room=1)
    if not shares.records:
        return words
    return replace(words, bias=pack_records([np.full(BANKS * ways, value)
                                             for value in shares.records], ways))


def lower(layer, xs, sources, target, values):
    """Passes of a softmax; see ``host.lower.registry.lower``."""
    [x], [source] = xs, sources
    shares = _describe(layer, x)
    count  = slices(shares.axis, x)
    work   = target
    if shares.bits != target.bits:
        work = replace(target, bits=shares.bits, behind=0).at(target.row + target.rows)
    if count == 1:
        return _one_sum(shares, source, work, target, values)
    one = [first_run(image) for image in (source, work, target)]
    return looped(_one_sum(shares, *one, values), count, source.pitch, one)


def _one_sum(shares, source, work, target, values):
    """Passes over elements that have one sum; ``work`` is where exponentials lie."""
    ways  = source.ways
    one   = values.word(1, 8, ways)
    spans = _stretches(source)
    passes = _extreme(Op.MAX, Reduce.MAX, source, target, one, spans)
    if shares.halves:
        passes += _extreme(Op.MIN, Reduce.MIN, source, target, one, spans)
    else:  # from 0 on no range exceeds half of a container
        zero = elementwise(source.bits, source.bits, y=values.word(0, 8, ways),
                           x=source.access(), z=_scratch(source, target), beats=1)
        passes.append(replace(zero, reduce=Reduce.MIN))
    passes += _powers(shares, source, work, values, spans)
    inverse = _inverse_row(values, ways)
    passes.append(elementwise(
        source.bits, 16, x_shape=Shape.VECTOR, x=source.access(), y=one, z=inverse,
        z_memory=Memory.Y, inverted=True))
    share = elementwise(
        work.bits, target.bits, x=work.access(), z=target.access(), y_width=Width.BITS16,
        y=_word(inverse, ways), adjust=Adjust.PLACES, **shares.share)
    return passes + [pass_ for pass_, _ in _over(spans, source, share)]


def _powers(shares, source, work, values, spans):
    """Passes that make exponentials, the last of them folded into their sum."""
    passes, x = [], source
    for number, fields in enumerate(shares.powers):
        scaled = fields.get("scale", Scale.NONE) is not Scale.NONE
        parts  = _over(spans, source, elementwise(
            x.bits, work.bits, x=x.access(), y=values.word(1, 8, source.ways), z=work.access(),
            anchored=number == 0, bias_row=values.y_row if scaled else None, **fields))
        passes += _reduced(parts, Reduce.SUM) if fields is shares.powers[-1] else [
            pass_ for pass_, _ in parts]
        x = work
    return passes


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


def _inverse_row(values, ways):
    """Access to the first word of the room by groups, 16-bit elements of Y."""
    base = values.room_row * BANKS * ways
    return Access(base=base, low=base, high=base + BANKS - 1)


def _word(groups, ways):
    """Access to the same word by lanes."""
    base = groups.base // BANKS
    return Access(base=base, low=base, high=base)

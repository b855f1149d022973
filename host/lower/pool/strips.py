# SPDX-License-Identifier: Apache-2.0
"""Pools with few channels on image strips: the lanes hold all strips' channels.

Windows never extend past the strips. The host writes padding as the lowest element, which changes
no maximum, or as the element for 0, which changes no sum. Means over windows with padding differ in
their factors; then every strip has its own factors.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Op
from xymac.host.ir.fields import container_clip
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.strips import StripLayout
from xymac.host.memory.windows import AxisWindows, writing_cost

from .form import PoolForm, WindowRegion, count_taps

__all__ = ["PoolStrips", "follow_strips", "strip_forms"]

_UNITS = 1, 2  #: Multiples for the strip height: another pool may follow.


@dataclass(frozen=True)
class PoolStrips:
    """A pool on strips.

    Parameters
    ----------
    form : PoolForm on the strips
    layout, target : StripLayouts: input, output
    """

    form:   PoolForm
    layout: StripLayout
    target: StripLayout

    @property
    def cycles(self):
        """Cycles to write the input and compute all outputs."""
        return _cycles(self.form, self.layout, self.layout.shape[-4])


def strip_forms(form, x, output, ways):
    """All PoolStrips with fewer cycles than the plain image, for a host-written input, fastest
    first.

    Parameters
    ----------
    form : PoolForm
    x, output : Tensors like its input and its output
    ways : int
    """
    if ways == 1 or prod(x.shape) != prod(x.shape[axis] for axis in form.order[-3:]) or (
            len(output.shape) != len(x.shape)
            or (not _are_alike(form, output) and _factors(form, output) is None)):
        return []
    plain    = TensorLayout.of(x, form.order, ways)
    channels = x.shape[form.order[-1]]
    held     = min(channels, ways)
    count    = BANKS if held == ways else BANKS * ways // held
    rows     = output.shape[form.order[-3]]
    heights  = {-(-rows // (count * unit)) * unit for unit in _UNITS}
    made     = [_make(form, x, output, ways, (count, held), height)
                for height in heights if height < rows]
    best     = _cycles(form, plain, x.shape[form.order[-2]])
    return sorted((strips for strips in made if strips.cycles < best),
                  key=lambda strips: strips.cycles)


def follow_strips(form, source, output):
    """PoolStrips whose input layout is the ``source`` strips.

    None unless each window is within a strip and within the image.
    """
    rows, size, step = output.shape[form.order[-3]], form.kernel[0], form.stride[0]
    height = source.shape[-5]
    if (source.down.taps > 1 or source.across.taps > 1 or form.pad[0] or size > step
            or height % step or (rows - 1) * step + size > source.image[form.order[-3]]
            or len(output.shape) != len(source.array)
            or not _are_alike(form, output) or source.axes != form.order):
        return None
    return PoolStrips(_on_strips(form, height // step), source,
                      _target(form, source, output, height // step))


def _are_alike(form, output):
    """Whether outputs of a column differ in nothing."""
    rows = output.shape[form.order[-3]]
    return not any(mean.wraps or mean.before for region in form.regions for mean in region.means
                   ) and all(region.rows == (0, rows) for region in form.regions)


def _make(form, x, output, ways, strips, height):
    """PoolStrips with ``height`` output rows each, for a host-written input."""
    count, held = strips
    step   = form.stride[0]
    fields = form.regions[0].means[0].output
    lowest = fields.get("op", Op.MAC) is Op.MAX
    layout = StripLayout.of_strips(
        x, form.order, ways, down=AxisWindows(x.shape[form.order[-3]]),
        across=AxisWindows(x.shape[form.order[-2]]), held=held,
        strip=AxisWindows(count, (height - 1) * step + form.kernel[0], height * step, 1,
                          -form.pad[0]),
        fill=container_clip(x.bits)[0] if lowest else fields.get("x_zero", 0))
    own = (_on_strips(form, height) if _are_alike(form, output) else
           replace(_on_strips(form, height), regions=_split_regions(
               form, _factors(form, output), count, height)))
    return PoolStrips(own, layout, _target(form, layout, output, height))


def _factors(form, output):
    """Factors for all outputs, int [rows, columns], where means differ in nothing else; or None."""
    means = [mean for region in form.regions for mean in region.means]
    if any(mean.records or mean.wraps or mean.before or mean.output != means[0].output
           for mean in means):
        return None
    result = np.zeros([output.shape[axis] for axis in form.order[-3:-1]], int)
    for region in form.regions:
        result[slice(*region.rows), slice(*region.cols)] = [mean.factor for mean in region.means]
    return result


def _split_regions(form, factors, count, height):
    """Strip row regions with equal factors, a tuple with a factor for every strip."""
    padded = np.pad(factors, ((0, count * height - len(factors)), (0, 0)), mode="edge")
    strips = padded.reshape(count, height, -1)
    mean, regions, first = form.regions[0].means[0], [], 0
    for last in range(1, height + 1):
        if last < height and (strips[:, last] == strips[:, first]).all():
            continue
        own   = strips[:, first].T.tolist()
        alike = all(each == own[0] for each in own)
        means = [replace(mean, factor=tuple(each)) for each in own[:1 if alike else None]]
        regions.append(WindowRegion((first, last), (0, len(own)), means))
        first = last
    return regions


def _on_strips(form, height):
    """The PoolForm on strips with ``height`` output rows."""
    return replace(form, pad=(0, 0, *form.pad[2:]),
                   regions=[replace(region, rows=(0, height)) for region in form.regions])


def _target(form, layout, output, height):
    """The output's StripLayout."""
    rows, cols = (output.shape[axis] for axis in form.order[-3:-1])
    return StripLayout.of_strips(
        output, form.order, layout.ways, down=AxisWindows(rows), across=AxisWindows(cols),
        held=layout.held,
        strip=AxisWindows(layout.strip.count, height, height), filled=False)


def _cycles(form, layout, cols):
    """Cycles for all outputs and for writing a layout with ``cols`` columns."""
    across = np.array(count_taps(form, cols, 1))
    made   = 0
    for region in form.regions:
        taps  = form.kernel[0] * across[slice(*region.cols)]
        made += (region.rows[1] - region.rows[0]) * int(np.maximum(taps, BANKS).sum())
    return writing_cost(layout) + made * -(-layout.pitch // BANKS)

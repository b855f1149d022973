# SPDX-License-Identifier: Apache-2.0
"""L2 normalisation as passes."""

from xymac.host.ir.normalise import L2Norm
from xymac.host.lower.made_once import MadeOnce

from .elements import Elements
from .long_normalisation import LongNormalisation
from .normalisation import Normalisation
from .slices import count_slices, first_run, refuse_runs, repeat_for_runs, run_layout
from .tries import LIMIT

__all__ = ["L2NormalizeLowering"]


class L2NormalizeLowering(MadeOnce):
    """An L2 normalisation."""

    forms = (L2Norm,)

    def source_layouts(self, preferred):
        """A single run, or a run for each sum if there are several."""
        [x] = self.inputs
        return (run_layout(self.form.axis, x, self.ways),)

    def refuses(self, sources):
        """Sums whose elements are not a run by themselves."""
        [source], axis, count = sources, self.form.axis, self._count
        if source.groups != count * source.pitch or len(source.parts) > 1 or (
                count > 1 and source.order[-1] != axis):
            return refuse_runs(axis, source)
        return None

    def output_layout(self, sources):
        """The output lies as the input does."""
        return sources[0].like(self.output)

    def make(self, space, sources, target):
        """Passes over the elements of the first sum."""
        elements = Elements(first_run(sources[0]), self.form.zero)
        kind = LongNormalisation if _is_long(elements) else Normalisation
        return kind(self.form, elements, first_run(target), space).make()

    def passes(self, sources, target, constants):
        passes, [source] = super().passes(sources, target, constants), sources
        if self._count == 1:
            return passes
        return repeat_for_runs(passes, self._count, source.pitch,
                               [first_run(layout) for layout in (source, target)])

    @property
    def fixed(self):
        """The summed dimension, which tiles do not divide."""
        return None if self.form.axis < 0 else (self.form.axis,)

    @property
    def _count(self):
        return count_slices(self.form.axis, self.inputs[0])


def _is_long(elements):
    """Whether their squares can add up to more than tries have room for."""
    return elements.count * elements.peak**2 >= LIMIT

"""L2 normalisation of MLI 2.0 as passes."""

from golden.mli2 import L2Normalize
from host.lower.fields.mli2 import check_zero
from host.lower.made_once import MadeOnce
from host.lower.sweep import container_clip
from host.lower.tile import cut_elements

from .long_normalisation import LongNormalisation
from .normalisation import Normalisation
from .slices import count_slices, first_run, repeat_for_runs, run_error, run_layout

__all__ = ["L2NormalizeLowering"]

_LIMIT = 1 << 39  #: Of the sum of squares in an accumulator.


class L2NormalizeLowering(MadeOnce):
    """An L2 normalisation."""

    layers = (L2Normalize,)

    def source_layouts(self, preferred):
        """A single run, or a run for each sum if there are several."""
        [x] = self.inputs
        return (run_layout(self.layer.axis, x, self.ways),)

    def output_layout(self, sources):
        """The output lies as the input does.

        ValueError unless the elements of a sum are a run by themselves.
        """
        [source], axis, count = sources, self.layer.axis, self._count
        if source.groups != count * source.pitch or len(source.parts) > 1 or (
                count > 1 and source.order[-1] != axis):
            raise run_error(axis, source)
        return source.like(self.output)

    def cut(self, count, *, constants=False):
        """Sums, each of them whole."""
        axis = self.layer.axis
        if constants or axis < 0:
            return None
        return cut_elements(self.layer, self.inputs, self.output, count, (axis,))

    def make(self, space, sources, target):
        """Passes over the elements of the first sum."""
        source = first_run(sources[0])
        kind   = LongNormalisation if self._is_long(sum(source.parts)) else Normalisation
        return kind(self.layer, self.inputs[0], source, first_run(target), space).make()

    def _is_long(self, count):
        """Whether the squares of ``count`` elements can add up to more than an accumulator has."""
        [x]  = self.inputs
        zero = x.format.zero_point if x.is_affine else 0
        check_zero("the input", zero)
        return count * max(abs(limit - zero) for limit in container_clip(x.bits))**2 >= _LIMIT

    def passes(self, sources, target, constants):
        passes, [source] = super().passes(sources, target, constants), sources
        if self._count == 1:
            return passes
        return repeat_for_runs(passes, self._count, source.pitch,
                               [first_run(layout) for layout in (source, target)])

    @property
    def _count(self):
        return count_slices(self.layer.axis, self.inputs[0])

# SPDX-License-Identifier: Apache-2.0
"""An output transform as passes: 32-bit accumulators to 8 bits.

Shift, scale, bias and last shift each round or saturate, so each is a separate pass.
"""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, RoundMode, Scale, bias_rows
from xymac.host.ir.contraction import OutputTransform
from xymac.host.ir.fields import shift_fields
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

from .base import Lowering
from .channels import over_channels
from .orders import refuse_layout
from .scratch import place_behind, wide, with_room
from .sweep import narrow_outputs
from .words32 import FACTORS32, join_words32

__all__ = ["OutputTransformLowering"]

_SATURATED  = {"rounding": RoundMode.UP, "clip": (-32767, 32767)}


class OutputTransformLowering(Lowering):
    """An output transform, with a pass per step."""

    forms = (OutputTransform,)

    def source_layouts(self, preferred):
        """Pixel by pixel, in two words an element."""
        return (_pixels(self.inputs[0], self.ways),)

    def refuses(self, sources):
        """An input that does not lie pixel by pixel, in two words an element."""
        [source] = sources
        pixels = _pixels(self.inputs[0], source.ways)
        if source.bits != pixels.bits or source.arrangement != pixels.arrangement:
            return refuse_layout(
                f"The input must lie in halves of {pixels.bits} bits pixel by pixel, not with "
                f"{source.bits} bits as {source.arrangement}")
        return None

    def target_layout(self, sources):
        """Pixel by pixel."""
        target = _pixels(self.output, sources[0].ways)
        return with_room(target, [wide(target)] * 2)

    @property
    def fixed(self):
        """Channels: tiles keep full pixels."""
        return (len(self.output.shape) - 1,)

    def constants(self, sources):
        """Word factors and a 1; the records of each pass in sequence."""
        values = lane_words(np.array([*FACTORS32, 1], np.int16), self.ways)
        return replace(values, bias=np.concatenate([pack_records(records, self.ways)
                                                    for records in self.form.records]))

    def passes(self, sources, target, constants):
        """An optional left shift, the scale, the bias, the last shift."""
        form, [source], ways = self.form, sources, self.ways
        first, second = place_behind(target, [wide(target)] * 2)
        one    = constants.word(len(FACTORS32), 16, ways)
        groups = -(-target.pitch // BANKS) * bias_rows(ways)
        pixels = prod(source.dims)
        row, passes, left = constants.y_row, [], form.left
        sums   = join_words32(source, constants)
        if left:
            passes += over_channels(sums, first, pixels, bias_row=row, **_SATURATED,
                                    shift=shift_fields(-left, RoundMode.UP)["shift"])
            sums, row = {"x": first, "y": one}, row + groups
        passes += over_channels(sums, second, pixels, scale=Scale.SYMMETRIC16, bias_row=row,
                                **_SATURATED)
        passes += over_channels({"x": second, "y": one}, first, pixels, **_SATURATED,
                                bias_row=row + 2 * groups)
        return passes + narrow_outputs(first, target, one, form.clip, form.shift)


def _pixels(x, ways):
    return TensorLayout.of(x, range(len(x.shape)), ways)

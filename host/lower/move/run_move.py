# SPDX-License-Identifier: Apache-2.0
"""Runs rearranged into runs of the same elements: each output is ``BANKS`` whole vectors.

An output is any ``BANKS`` consecutive target vectors, possibly from several runs. Its taps are the
source vectors with its elements. A weight 1 routes an element to its lane; a lane without an
element gets the padding value.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from xymac.hdl.isa import BANKS, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import Loop, nest
from xymac.host.memory.packing import vector_words, width_of

__all__ = ["RunMove"]

_PASS = 20  #: Approximate cycles of an additional pass.


@dataclass(frozen=True)
class _Output:
    """Repeated pattern output: first target vector and source vector, weights [lanes, taps, ways].

    ``count`` outputs are ``BANKS`` vectors apart in both.
    """

    z:       int
    x:       int
    beats:   int
    weights: np.ndarray
    count:   int = 1

    @property
    def cycles(self):
        """Cycles over all repetitions."""
        return self.count * max(BANKS, self.weights.shape[1])

    def follows(self, other):
        """Whether this output continues where ``other`` ends."""
        apart = other.count * BANKS
        return ((self.z - other.z, self.x - other.x, self.beats) == (apart, apart, other.beats)
                and np.array_equal(self.weights, other.weights))


@dataclass(frozen=True)
class RunMove:
    """Runs whose elements move to other positions inside their runs.

    Parameters
    ----------
    elements : tuple of int, source position in the run per target position, whole vectors; -1 for
        padding
    apart : int, vectors from a source run to the next
    count : int, consecutive runs in the target
    ways : int, elements per vector
    """

    elements: tuple
    apart:    int
    count:    int
    ways:     int

    @classmethod
    def of_padding(cls, size, before, after, **fields):
        """Runs of ``size`` elements with ``before`` and ``after`` padding elements."""
        behind = after + -(before + size + after) % fields["ways"]
        return cls((*[-1] * before, *range(size), *[-1] * behind), **fields)

    @property
    def pitch(self):
        """Vectors per target run."""
        return len(self.elements) // self.ways

    @property
    def cycles(self):
        """Cycles over all runs, without pass start-up."""
        return sum(times * output.cycles for _, times, outputs in self.patterns
                   for output in outputs)

    @cached_property
    def patterns(self):
        """List of (runs per pattern, repetitions, outputs) with the fewest cycles."""
        choices = []
        for runs in (1, 2, BANKS):
            times, rest = divmod(self.count, runs)
            if times:
                parts = [(runs, times, self._outputs(runs))]
                parts += [(1, rest, self._outputs(1))] if rest else []
                choices.append(parts)
        return min(choices, key=lambda parts: sum(
            times * output.cycles + _PASS for _, times, outputs in parts for output in outputs))

    @cached_property
    def words(self):
        """Output vector words, pattern by pattern."""
        taps = [output.weights for _, _, outputs in self.patterns for output in outputs]
        return vector_words(np.concatenate(taps, axis=1), self.ways)

    def _outputs(self, runs):
        """Outputs for ``runs`` consecutive runs."""
        ways, lanes = self.ways, BANKS * self.ways
        element = np.array(self.elements)
        group   = np.where(element < 0, -1, element // ways)
        group   = np.where(group < 0, -1, group + self.apart * np.arange(runs)[:, None]).ravel()
        way     = np.tile(element % ways, runs)
        outputs = []
        for first in range(0, len(group), lanes):
            own, taken = group[first:first + lanes], way[first:first + lanes]
            held    = own[own >= 0]
            low     = int(held.min()) if held.size else 0
            weights = np.zeros((lanes, int(held.max(initial=low)) - low + 1, ways), np.int8)
            lane    = np.flatnonzero(own >= 0)
            weights[lane, own[lane] - low, taken[lane]] = 1
            output = _Output(first // ways, low, len(own) // ways, weights)
            if outputs and output.follows(outputs[-1]):
                outputs[-1] = replace(outputs[-1], count=outputs[-1].count + 1)
            else:
                outputs.append(output)
        return outputs

    def passes(self, source, target, words, loops=(), offset=0, value=0, **fields):
        """Passes over all runs.

        Parameters
        ----------
        source, target : TensorLayouts
        words : Access to ``self.words``
        loops : Loops around the runs, outermost first
        offset : int, target vector where the first run begins
        value : int, padding value; 0 for 16-bit elements
        fields : other fields of all passes
        """
        clip   = tuple(limit - value for limit in container_clip(target.bits))
        common = {"x_width": width_of(source.bits), "z_width": width_of(target.bits),
                  "z_memory": target.memory, "zero": value, "x_zero": value, "clip": clip, **fields}
        passes, word, run = [], words.base, 0
        for runs, times, outputs in self.patterns:
            around = [*loops, Loop(times, runs * self.apart, 0, runs * self.pitch)]
            for output in outputs:
                taps  = output.weights.shape[1]
                step  = (0, 0, int(taps > 1))
                pass_ = Pass(
                    taps=(1, 1, taps), beats=output.beats, **common,
                    x=source.access(taps=step, offset=run * self.apart + output.x),
                    y=replace(words, base=word, taps=step),
                    z=target.access(offset=offset + run * self.pitch + output.z))
                own = [*around, Loop(output.count, BANKS, 0, BANKS)]
                passes += nest(pass_, own)
                word   += taps
            run += runs * times
        return passes

# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells with rounded vectors as passes: a whole sequence is a loop of the program."""

from abc import abstractmethod
from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Memory
from xymac.host.ir.recurrent.rounded_cells import Gru, Lstm
from xymac.host.lower.made_once import MadeOnce
from xymac.host.lower.orders import refuse_layout
from xymac.host.memory.layout import TensorLayout

from .gates import GruSteps, LstmSteps
from .parts import StepLowering

__all__ = ["GruLowering", "LstmLowering"]


class _CellLowering(StepLowering, MadeOnce):
    """A cell and its steps, after their working vectors."""

    @property
    @abstractmethod
    def steps(self):
        """Step pass class."""

    @property
    def backward(self):
        """See ``StepLowering``."""
        return self.form.backward

    def later_layer(self):
        """See ``StepLowering``; the state has the output's format."""
        state = self.layer.state
        state = replace(state, data=np.zeros_like(state.data), format=self.layer.out)
        return replace(self.layer, state=state)

    def source_layouts(self, preferred):
        """A run per step."""
        return (TensorLayout.of(self.inputs[0], (0, 1), self.ways),)

    def refuses(self, sources):
        """An input without a run per step, in step order."""
        [source] = sources
        if source.order != (0, 1) or source.inner != 1:
            return refuse_layout(f"The layer takes the steps one after the other, its input of "
                                 f"shape {source.shape} lies in the order {source.order}, "
                                 f"{source.inner} of them together")
        return None

    def output_layout(self, sources):
        """A run per output, the last in whole tiles."""
        target = TensorLayout.of(self.output, (0, 1), self.ways)
        tiles  = -(-target.pitch // BANKS)
        last   = target.groups - target.pitch + tiles * BANKS
        return replace(target, behind=-(-last // target.row_groups) - target.rows)

    def make(self, space, sources, target):
        """All step passes."""
        return self.steps(self.form, self.inputs[0].bits, space, sources[0], target).passes()


class GruLowering(_CellLowering):
    """A GRU cell."""

    forms, steps = (Gru,), GruSteps
    carried      = ("state",)


class LstmLowering(_CellLowering):
    """An LSTM cell."""

    forms, steps = (Lstm,), LstmSteps
    carried      = "state", "cell"

    def state_layout(self, target, constants):
        """The new cell state is first in the free space of the constants."""
        return TensorLayout.flat(self.layer.cell, self.ways).at(constants.room_row, Memory.Y)

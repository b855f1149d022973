# SPDX-License-Identifier: Apache-2.0
"""Layers as one program: placed and packed."""

from contextlib import suppress
from functools import partial
from itertools import count

from xymac.host.cycles.model import predict
from xymac.host.memory.windows import writing_cost

from .assembly import Assembly
from .emit import emit_plan
from .graph import nodes_of
from .lowerings import analyse, list_wanted
from .planned import Planned
from .rows import AllocationError
from .stages import Stages
from .states import States

__all__ = ["Plan"]

_TRIED = 6  #: Ways with strips that become pixels or others which are compared.


class Plan(Planned):
    """Layers as one program: all constants in Y, activations in X.

    An activation keeps its place in X from the layer that makes it to the last one that reads it,
    as ``Placement`` says.

    Parameters
    ----------
    config : CoreConfig
    layers : golden layers, each taking the output of the one before and the first one all inputs;
        or Nodes in an order in which every layer comes behind those whose output it takes
    inputs : Tensors in the format of the inputs, whatever their values
    keep : True keeps the output of every layer in X, False only ``outputs`` and the last; None
        keeps all if they fit; or a frozenset of the indices of layers whose outputs are kept as
        well
    outputs : frozenset of the indices of layers whose outputs are kept whatever fits
    c_order : bool, inputs and the last output lie in the order of the user's arrays: the bytes from
        their first row on, as the bus shows them, are those of the array; else as it takes fewest
        cycles
    part_input : int, the only input of the only layer is written part by part if it takes more than
        so many rows of X; None for never
    analysis : Analysis of the layers, None for one that is made now
    with_program : bool, else it is only known that all can be placed: there are neither programs
        nor steps

    Attributes
    ----------
    steps : tuple of Step, one a layer
    program : tuple, its passes
    loads : tuple of Load, constants that lie in Y one after the other: more than one if there are
        more than Y holds
    segments : tuple of Program, those passes as they run one after the other: more than one if
        there are more than program memory holds
    sources : tuple of TensorLayout of the inputs
    states : what layers keep from run to run before the first one, as ``PlanRun.states``

    ValueError for what a layer's ``check`` refuses, for a layer without passes, and for a program
    that is too long; AllocationError, with sizes in bytes, for what does not fit X or Y.
    """

    def __init__(self, config, layers, *inputs, keep=None, outputs=frozenset(), c_order=False,
                 part_input=None, analysis=None, with_program=True):
        self.config = config
        self.inputs = inputs
        self._analysis = analysis or analyse(config, nodes_of(layers, len(inputs)), inputs,
                                             list_wanted(len(layers), keep, outputs))
        self._states = States.of(self._analysis.lowerings, len(inputs))
        self._nodes  = self._states.extend(self._analysis.nodes)
        self._count  = len(inputs) + len(self._states.numbers)
        make_stages = partial(Stages, self._nodes, self._analysis, inputs, config.ways,
                              states=self._states, c_order=c_order, core=config.capabilities)
        self._most, self._with_program = part_input, with_program
        self._behind = None
        if part_input is not None:
            self._stages = make_stages()
        if part_input is not None or not self._place_written(make_stages, keep, outputs):
            parts = len(inputs) == len(self._stages.stages) == 1 and part_input is not None
            self._behind = config.x_rows if parts else None
            self._place(keep, outputs)
        self.sources = tuple(self._layouts[:len(inputs)])

    @property
    def source(self):
        """TensorLayout of the first input."""
        return self.sources[0]

    @property
    def target(self):
        """TensorLayout of the last output."""
        return self.steps[-1].target

    @property
    def states(self):
        """A tuple of Tensors, one a layer: what the first run begins with."""
        return self._states.tensors

    @property
    def state_layouts(self):
        """TensorLayouts of the states of all layers, in order."""
        return self._layouts[len(self.inputs):self._count]

    @property
    def behind(self):
        """The row that an input which is written part by part is said to lie at, or None."""
        return self._behind

    @property
    def blanks(self):
        """Tensors like the outputs of all layers, None of one that is folded."""
        return [step.blank for step in self.steps]

    @property
    def cell_blanks(self):
        """Tensors like the new states of recurrent cells that lie in Y, by indices of layers."""
        return {index: step.layer.cell for index, step in enumerate(self.steps) if step.cell}

    def layers_of(self, load):
        """Indices of the layers that have stages of a Load, a set."""
        return {self._stages.stages[number].layer for number in load.stages}

    def emit(self, builder, ends, *, alone=False):
        emit_plan(self, builder, ends, alone=alone)

    def _place_written(self, make_stages, keep, outputs):
        """Whether inputs could be placed as only the host can write them, the fastest such way;
        else there are the ``_stages`` of inputs that lie otherwise.

        Ways in which strips become pixels again compete with one another and the next other way.
        """
        tried = []
        for stages in self._list_written(make_stages):
            if not tried and not stages.are_written:
                self._stages = make_stages() if stages.joins_strips else stages
                return False
            if len(tried) >= _TRIED and stages.moves_strips:
                continue
            self._stages = stages
            try:
                self._place(keep, outputs)
            except AllocationError:
                if stages.are_written:
                    continue
            else:
                if not tried and not (self._with_program and stages.moves_strips):
                    return True
                tried.append((self.cost, stages, self._made))
            if not stages.moves_strips:
                self._adopt(*min(tried, key=lambda each: each[0])[1:])
                return True

    @staticmethod
    def _list_written(make_stages):
        """Stages of all ways, the fastest first by the count of their first layer; such that join
        strips also without."""
        for rank in count():
            stages = make_stages(written=rank, joins=True)
            yield stages
            if stages.joins_strips:
                yield make_stages(written=rank)

    @property
    def cost(self):
        """Cycles of all programs, and those that writing the inputs counts."""
        return (sum(predict(segment, self.config).cycles for segment in self.segments)
                + sum(writing_cost(layout) for layout in self._layouts[:len(self.inputs)]))

    def _place(self, keep, outputs):
        """Take the first choice that fits; with ``keep`` None all outputs are kept if they fit.

        Outputs take the place of inputs only where there is no room otherwise.
        """
        every = range(len(self._nodes))
        some  = {*outputs, self._analysis.last, *(() if keep in (None, True, False) else keep)}
        ways  = [] if keep is True else [(frozenset(some), False), (frozenset(some), True)]
        if keep in (None, True):
            ways.insert(0, (frozenset(every), False))
        *others, last = ways
        for way in others:
            with suppress(AllocationError):
                self._assemble(*way)
                return
        self._assemble(*last)

    def _assemble(self, keep, overwrite):
        """Set layouts, loads, steps and program for one choice."""
        made = Assembly(self.config, self._stages, keep, overwrite=overwrite, behind=self._behind,
                        most=self._most)
        if self._with_program:
            made.finish()
        self._adopt(self._stages, made)

    def _adopt(self, stages, made):
        """Set layouts, loads, steps and program to those of an Assembly."""
        self._stages, self._made = stages, made
        self._layouts, self.keeps_all = made.layouts, made.keeps_all
        if self._with_program:
            self.loads, self.segments = made.loads, made.segments
            self.program, self.steps  = made.program, made.steps

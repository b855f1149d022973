# SPDX-License-Identifier: Apache-2.0
"""Compile layers into a program: place tensors, pack constants, generate passes."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from xymac.host.cycles.model import predict
from xymac.host.errors import Refusal, accept
from xymac.host.memory.windows import writing_cost
from xymac.host.sizes import read_config

from .assembly import Assembly
from .emit import emit_plan
from .graph import nodes_of
from .lowerings import analyse, list_wanted
from .planned import Planned
from .stages import Stages
from .states import States

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xymac.golden.array import Array
    from xymac.golden.layer import Layer
    from xymac.hdl.config import CoreConfig
    from xymac.host.executable.builder import Builder
    from xymac.host.memory.layout import TensorLayout

    from .emit import Ends
    from .graph import Node
    from .loads import ConstantLoad
    from .lowerings import Analysis

__all__ = ["Plan"]

_TRIED = 6  #: Choices with strip conversion to compare.


class Plan(Planned):
    """Layers as a single program: constants in Y, activations in X.

    An activation keeps its rows in X from its producer to its last reader; see
    ``xymac.host.plan.placement``.

    Parameters
    ----------
    config : CoreConfig, or a size by its name, such as ``"base"``
    layers : golden layers in a chain, the first with all inputs; or Nodes in topological order
    inputs : Tensors in the input formats, with any values
    keep : True keeps every layer's output in X; False keeps ``outputs`` and the last; None keeps
        all if they fit; a frozenset names further layer indices to keep
    outputs : frozenset of int, indices of layers with outputs that are always kept
    c_order : bool, inputs and the last output have the user's array order: from their first row,
        the bytes on the bus equal the array's bytes. Otherwise the layouts with fewest cycles
    part_input : int, X rows above which the only layer's only input is written part by part; None
        for never
    analysis : Analysis of the layers, or None to analyse them here
    with_program : bool; False checks placement only and leaves programs and steps unset
    reloads : bool, other programs run between two inputs, so the host writes the constants for
        every input; layers take fewer constants where more do not save as many cycles

    Attributes
    ----------
    steps : tuple of LayerStep, a step per layer
    program : tuple of Pass
    loads : tuple of ConstantLoad, in sequence; several if Y cannot hold all constants
    segments : tuple of Program, the passes in execution order; several if program memory cannot
        hold all passes
    sources : tuple of TensorLayout, for the inputs
    states : initial layer states, like ``PlanRun.states``

    ValueError for layers that fail their ``check``, and for an overlong program; Refusal for layers
    without passes, and, with sizes in bytes, for tensors larger than the free space in X or Y.
    """

    def __init__(self, config: CoreConfig | str, layers: Sequence[Node] | Sequence[Layer],
                 *inputs: Array, **options: Any) -> None:
        accept(self._make(config, layers, *inputs, **options))

    @classmethod
    def of(cls, config: CoreConfig | str, layers: Sequence[Node] | Sequence[Layer], *inputs: Array,
           **options: Any) -> Plan | Refusal:
        """The Plan; a Refusal, not raised, for tensors that do not fit."""
        plan = cls.__new__(cls)
        return plan._make(config, layers, *inputs, **options) or plan

    def _make(self, config: CoreConfig | str, layers: Sequence[Node] | Sequence[Layer],
              *inputs: Array, keep: bool | Collection[int] | None = None,
              outputs: frozenset[int] = frozenset(), c_order: bool = False,
              part_input: int | None = None, analysis: Analysis | None = None,
              with_program: bool = True, reloads: bool = False) -> Refusal | None:
        """Set all attributes, or return a Refusal."""
        self.config = config = read_config(config)
        self.inputs = inputs
        self._analysis = analysis or analyse(config, nodes_of(layers, len(inputs)), inputs,
                                             list_wanted(len(layers), keep, outputs))
        self._states = States.of(self._analysis.lowerings, len(inputs))
        self._nodes  = self._states.extend(self._analysis.nodes)
        self._count  = len(inputs) + len(self._states.numbers)
        make_stages = partial(Stages, self._nodes, self._analysis, inputs, config.ways,
                              states=self._states, c_order=c_order, core=config.capabilities)
        self._most, self._with_program, self._reloads = part_input, with_program, reloads
        self._behind = None
        if part_input is not None:
            self._stages = make_stages()
        if part_input is not None or not self._place_written(make_stages, keep, outputs):
            parts = len(inputs) == len(self._stages.stages) == 1 and part_input is not None
            self._behind = config.x_rows if parts else None
            refusal = self._place(keep, outputs)
            if refusal is not None:
                return refusal
        self.sources = tuple(self._layouts[:len(inputs)])
        return None

    @property
    def source(self) -> TensorLayout:
        """TensorLayout of the first input."""
        return self.sources[0]

    @property
    def target(self) -> TensorLayout:
        """TensorLayout of the last output."""
        return self.steps[-1].target

    @property
    def states(self) -> tuple[tuple[Array, ...], ...]:
        """Tuple of Tensor tuples, one per layer: initial states."""
        return self._states.tensors

    @property
    def state_layouts(self) -> list[TensorLayout]:
        """List of TensorLayout: all layers' states, in order."""
        return self._layouts[len(self.inputs):self._count]

    @property
    def behind(self) -> int | None:
        """Nominal row of an input written part by part, or None."""
        return self._behind

    @property
    def blanks(self) -> list[Array | None]:
        """Tensor list in the layers' output formats, None for folded layers."""
        return [step.blank for step in self.steps]

    @property
    def cell_blanks(self) -> dict[int, Array]:
        """Dict, layer index to a Tensor like a recurrent cell's new state in Y."""
        return {index: step.layer.cell for index, step in enumerate(self.steps) if step.cell}

    def layers_of(self, load: ConstantLoad) -> set[int]:
        """Set of int: layers with stages in a ConstantLoad."""
        return {self._stages.stages[number].layer for number in load.stages}

    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        emit_plan(self, builder, ends, alone=alone)

    def _place_written(self, make_stages, keep, outputs):
        """Place with the fastest fitting host-written input layouts; return whether some fit.

        If none fit, ``_stages`` has input layouts without this restriction. Choices that convert
        strips to pixels are compared by cost with each other and with the next choice without
        conversion.
        """
        tried = []
        for stages in self._list_written(make_stages):
            if not tried and not stages.are_written:
                self._stages = make_stages() if stages.joins_strips else stages
                return False
            if len(tried) >= _TRIED and stages.moves_strips:
                continue
            self._stages = stages
            if self._place(keep, outputs) is None:
                if not tried and not (self._with_program and stages.moves_strips):
                    return True
                tried.append((self.cost, stages, self._made))
            elif stages.are_written:
                continue
            if not stages.moves_strips:
                self._adopt(*min(tried, key=lambda each: each[0])[1:])
                return True

    @staticmethod
    def _list_written(make_stages):
        """Yield Stages for every input layout choice, fastest first layer first.

        Choices with joined strips are followed by the same choice without joining.
        """
        for rank in count():
            stages = make_stages(written=rank, joins=True)
            yield stages
            if stages.joins_strips:
                yield make_stages(written=rank)

    @property
    def cost(self) -> int:
        """Cycles for all programs and for writing the inputs."""
        return (sum(predict(segment, self.config).cycles for segment in self.segments)
                + sum(writing_cost(layout) for layout in self._layouts[:len(self.inputs)]))

    def _place(self, keep, outputs):
        """Place with the first fitting choice; with ``keep`` None, try to keep all outputs first.

        Outputs overwrite inputs only if the tensors do not fit otherwise. Returns a Refusal, or
        None.
        """
        every = range(len(self._nodes))
        some  = {*outputs, self._analysis.last, *(() if keep in (None, True, False) else keep)}
        ways  = [] if keep is True else [(frozenset(some), False), (frozenset(some), True)]
        if keep in (None, True):
            ways.insert(0, (frozenset(every), False))
        refusal = None
        for way in ways:
            refusal = self._assemble(*way)
            if refusal is None:
                return None
        return refusal

    def _assemble(self, keep, overwrite):
        """Set layouts, loads, steps and program for a choice: kept outputs, and whether outputs
        overwrite inputs. Returns a Refusal, or None.
        """
        made = Assembly.of(self.config, self._stages, keep, overwrite=overwrite,
                           behind=self._behind, most=self._most, reloads=self._reloads)
        if isinstance(made, Refusal):
            return made
        if self._with_program and (refusal := made.finish()) is not None:
            return refusal
        self._adopt(self._stages, made)
        return None

    def _adopt(self, stages, made):
        """Set layouts, loads, steps and program from an Assembly."""
        self._stages, self._made = stages, made
        self._layouts, self.keeps_all = made.layouts, made.keeps_all
        if self._with_program:
            self.loads, self.segments = made.loads, made.segments
            self.program, self.steps  = made.program, made.steps

# SPDX-License-Identifier: Apache-2.0
"""Link a network to an executable: the core's plan, and the layers of the host."""

from dataclasses import dataclass

from xymac.golden import tflm
from xymac.host.errors import translate_refusals
from xymac.host.executable.builder import Builder
from xymac.host.executable.executable import Executable
from xymac.host.executable.steps import COPY
from xymac.host.plan.plan import Plan
from xymac.host.plan.tiling.tiled import make_plan

from .edges import Division, split_network
from .parts import PartedPlan
from .unsigned import as_signed, is_unsigned

__all__ = ["Linked", "compile_network", "link_network", "plan_core", "plan_nodes"]


@dataclass(frozen=True)
class Linked:
    """A network's Executable; values keep their network numbers.

    Parameters
    ----------
    executable : Executable
    plan : Plan, TiledPlan or PartedPlan, None if the host computes everything
    core : Division of the network
    states : tuple of tuples, each core layer's state value numbers
    cells : dict, core layer index to its new cell state's value number
    """

    executable: Executable
    plan:       object
    core:       Division
    states:     tuple
    cells:      dict


def compile_network(network, config, *, cells=False, cascades=False):
    """A Network's Executable on a CoreConfig.

    With ``cells`` an MLI 1.x cell's new state is an additional last output. For ``cascades`` see
    ``TiledPlan``. InputError for a network that does not fit the size.
    """
    core = split_network(network)
    return link_network(network, core, plan_core(network, core, config, cascades=cascades), config,
                        cells=cells).executable


def plan_core(network, core, config, *, cascades=False):
    """The plan of a Division: a PartedPlan for several parts, None without a part.

    InputError for layers that do not fit the size.
    """
    apart = len(core.parts) > 1
    plans = [plan_nodes(network, part.nodes, part.blanks, config, outputs=part.outputs,
                        cascades=cascades and not apart, reloads=apart) for part in core.parts]
    return PartedPlan(plans) if apart else plans[0] if plans else None


def plan_nodes(network, nodes, inputs, config, **options):
    """The plan of Nodes; see ``plan_core``, and ``make_plan`` for the options."""
    with translate_refusals(f"{network.name} on size {config.name}", OverflowError, ValueError):
        return make_plan(config, nodes, *inputs, **options)


def link_network(network, core, plan, config, *, cells=False, checked=False):
    """The Linked of a Network, its Division, and the core's plan or None.

    With ``checked`` the host reads every layer output still in memory, and the new cell states.
    """
    values = dict(enumerate(network.values))
    states = () if plan is None else _number(plan.states, len(values))
    values |= {number: state for numbers, own in zip(states, plan.states if plan else (),
                                                     strict=True)
               for number, state in zip(numbers, own, strict=True)}
    left   = plan.cell_blanks if plan is not None and (cells or checked) else {}
    places = dict(zip(left, range(len(values), len(values) + len(left)), strict=True))
    values |= dict(zip(places.values(), left.values(), strict=True))
    builder = Builder(
        values, unsigned=frozenset(number for number, value in enumerate(network.values)
                                   if is_unsigned(value)),
        known={number: _sign(network.values[number])
               for number in range(network.held, network.first)})
    builder.constants |= {number: network.values[number]
                          for number in range(network.held, network.first)}
    _emit_parts(network, core, plan, builder, states, places, checked=checked)
    variables = dict(enumerate(network.variables, len(network.inputs)))
    for number, each in variables.items():
        builder.compute(COPY, (each.following,), number)
    outputs = [*network.outputs, *(places.values() if cells else ())]
    executable = builder.build(
        network.inputs, outputs, name=network.name, size=config.name,
        states={number: each.first for number, each in variables.items()} | {
            number: values[number] for own in states for number in own},
        input_names=network.input_names, operators=network.operators,
        output_names=(*network.output_names, *["cell"] * (len(outputs) - len(network.outputs))),
        numbers=network.numbers)
    return Linked(executable, plan, core, states, places)


def _emit_parts(network, core, plan, builder, states, cells, *, checked):
    """Add the steps of the host and of the device in turn.

    ``states`` and ``cells`` have value numbers by layer of all parts.
    """
    plans = plan.parts if isinstance(plan, PartedPlan) else [plan] * len(core.parts)
    first = 0
    for turn, part, own in zip(core.turns, core.parts, plans, strict=False):
        for index in turn:
            _compute(network, index, builder)
        layers  = range(first, first + len(part.layers))
        targets = [network.first + index
                   if checked or place in part.outputs or not isinstance(own, Plan) else None
                   for place, index in enumerate(part.layers)]
        ends = own.ends(part.inputs, targets, [each for layer in layers for each in states[layer]],
                        {layer - first: cells[layer] for layer in layers if layer in cells})
        own.emit(builder, ends, alone=len(plans) == 1)
        first = layers.stop
    for index in core.turns[-1]:
        _compute(network, index, builder)


def _number(states, first):
    """Value numbers from ``first`` on for layer states, in the states' nesting."""
    numbers = iter(range(first, first + sum(map(len, states))))
    return tuple(tuple(next(numbers) for _ in own) for own in states)


def _compute(network, index, builder):
    """Add a host step for a layer."""
    node   = network.nodes[index]
    kernel = node.layer
    if isinstance(kernel, tflm.Reshape | tflm.ExpandDims | tflm.Squeeze):
        kernel = COPY
    builder.compute(kernel, node.sources, network.first + index)


def _sign(value):
    return as_signed(value) if is_unsigned(value) else value

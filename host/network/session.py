# SPDX-License-Identifier: Apache-2.0
"""A network that is ready to run, on a device or on golden alone."""

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from xymac import golden
from xymac.golden import mli1
from xymac.hdl.isa import COUNTERS
from xymac.host.errors import InputError, translate_refusals
from xymac.host.plan.run import layer_counters
from xymac.host.plan.tiled import make_plan

from .edges import split_network
from .facts import LayerFacts, facts_of
from .unsigned import as_signed, as_unsigned, is_unsigned

__all__ = ["Difference", "NetworkRun", "Session"]


@dataclass(frozen=True)
class Difference:
    """First result of a device that is not the golden one.

    Parameters
    ----------
    image, layer : int
    what : str, "element (0, 1, 2)", "cell state (0,)" or "overflow flag"
    expected, actual : int or bool
    """

    image:    int
    layer:    int
    what:     str
    expected: int
    actual:   int


@dataclass(frozen=True)
class NetworkRun:
    """A network and one input.

    Parameters
    ----------
    values : tuple of golden Arrays, of inputs, constants and layers, from the device where there is
        one
    outputs : tuple of golden Arrays, those of the network
    difference : Difference or None
    counters : tuple of dicts, one a layer; empty without a device
    compared : int, layers that were compared with golden
    seconds : float, the device was at work
    network : Network
    """

    values:     tuple
    outputs:    tuple
    difference: Difference | None
    counters:   tuple
    compared:   int
    seconds:    float
    network:    object

    def __getitem__(self, name):
        """Output of the layer of a name or a number, or the input of a name: a golden Array."""
        network = self.network
        if isinstance(name, int):
            return self.values[network.first:][name]
        for number, value in enumerate(self.values):
            if network.name_of(number) == name:
                return value
        raise KeyError(f"{network.name} has no layer {name!r}, only "
                       f"{', '.join(network.names)}")


class Session:
    """A Network on an open Device, or on golden alone without one.

    A layer whose output does not stay in memory runs once more by itself, on golden's inputs.
    States stay from run to run unless ``reset_states``. InputError if the network does not fit the
    device.

    Attributes
    ----------
    network, device : as given
    plan : Plan or TiledPlan, None without a device or where the host computes all
    facts : tuple of LayerFacts, one a layer; empty without a device
    core : Core, what the device computes
    """

    def __init__(self, network, device=None, *, reset_states=False):
        self.network, self.device = network, device
        self._reset = reset_states or not network.has_states
        self._nodes = list(network.nodes)
        self.core  = split_network(network)
        self._alone, self._loaded = {}, None
        self.plan   = self._make_plan()
        self._states = None if self.plan is None else self.plan.states
        self._held   = self._actual = tuple(each.first for each in network.variables)
        self.facts  = () if device is None else self._facts()

    def run(self, *inputs, number=0):
        """Run on one input, arrays of the types and shapes of the network's: a NetworkRun.

        ``number`` is that of the input in a Difference.
        """
        results = self._golden_results(inputs)
        values  = [result.output for result in results]
        if self.device is None:
            run = self._collect(values, None, (), 0, 0.0)
        else:
            run = self._run_device(results, values, number)
        if not self._reset:
            self._follow(results[self.network.first:])
            self._held   = self._variables(values)
            self._actual = self._variables(run.values)
        return run

    def _variables(self, values):
        """What variables are next, of all values."""
        return tuple(replace(each.first, data=values[each.following].data)
                     for each in self.network.variables)

    def _collect(self, values, *others):
        return NetworkRun(tuple(values), tuple(values[number] for number in self.network.outputs),
                          *others, self.network)

    def _golden_results(self, inputs):
        """Results of all values on golden."""
        network = self.network
        if len(inputs) != len(network.inputs):
            raise InputError(f"{network.name} takes {len(network.inputs)} inputs, "
                             f"not {len(inputs)}")
        for name, blank, data in zip(network.input_names, network.inputs, inputs, strict=True):
            if data.shape != blank.shape or data.dtype != blank.data.dtype:
                raise InputError(f"The input {name} must be {blank.data.dtype} of shape "
                                 f"{blank.shape}, not {data.dtype} of shape {data.shape}")
        results = [golden.result.Result(value, overflow=False) for value in (
            *(replace(blank, data=data) for blank, data
              in zip(network.inputs, inputs, strict=True)), *self._held, *network.constants)]
        for node in self._nodes:
            with translate_refusals(node.title, MemoryError, OverflowError, TypeError, ValueError):
                results.append(golden.run(node.layer, *(
                    results[number].output for number in node.sources)))
        return results

    def _follow(self, results):
        """Have every layer with a state the one that it has after ``results``."""
        for index, (node, result) in enumerate(zip(self._nodes, results, strict=True)):
            if hasattr(node.layer, "following"):
                self._nodes[index] = replace(node, layer=node.layer.following(result))

    def _make_plan(self):
        core = self.core
        if self.device is None or not core.nodes:
            return None
        return self._try_plan(core.nodes, core.blanks, outputs=core.outputs)

    def _try_plan(self, nodes, inputs, **options):
        config = self.device.config
        with translate_refusals(f"{self.network.name} on size {config.name}", OverflowError,
                                ValueError):
            return make_plan(config, nodes, *inputs, **options)

    def _run_plan(self, plan, inputs, states):
        """Run a plan, loaded if it is not the last one that was: a PlanRun."""
        if self._loaded is not plan:
            plan.load(self.device)
            self._loaded = plan
        return plan.run(self.device, *inputs, states=states)

    def _run_device(self, results, expected, image):
        """A NetworkRun: the plan, what the host adds, and what stays nowhere by itself."""
        network, core, plan = self.network, self.core, self.plan
        actual   = {number: expected[number] for number in range(network.first)}
        actual  |= dict(enumerate(self._actual, len(network.inputs)))
        counters = [dict.fromkeys(COUNTERS, 0) for _ in network.nodes]
        seconds, differences = 0.0, []
        for index in core.before:
            self._compute(index, actual)
        if plan is not None:
            start   = perf_counter()
            states  = self._states
            run     = self._run_plan(plan, [_sign(actual[number]) for number in core.inputs],
                                     states)
            seconds = perf_counter() - start
            if not self._reset:
                self._states = run.states
            for place, counted in enumerate(layer_counters(plan, run.result)):
                counters[core.layers[place]] = counted
            for place, index in enumerate(core.layers):
                made = run.outputs[place], run.overflows[place], run.cells[place]
                if plan.steps[place].folded:
                    actual[network.first + index] = expected[network.first + index]
                    continue
                if made[0] is None:
                    made = self._run_alone(place, expected, (states[place],))
                result = results[network.first + index]
                output = (as_unsigned(made[0], result.output) if is_unsigned(result.output)
                          else made[0])
                actual[network.first + index] = output
                differences.append(_compare(image, index, result, output, *made[1:]))
        for index in core.after:
            self._compute(index, actual)
        values = [actual[number] for number in range(len(expected))]
        return self._collect(values, next(filter(None, differences), None), tuple(counters),
                             len(differences), seconds)

    def _compute(self, index, values):
        """Add the output of a layer that the host computes to the dict ``values``."""
        node = self._nodes[index]
        values[self.network.first + index] = golden.run(
            node.layer, *(values[number] for number in node.sources)).output

    def _run_alone(self, place, values, states):
        """Output, overflow flag and new state of a layer of the device by itself, on golden's
        ``values`` and ``states``."""
        node   = self.core.nodes[place]
        inputs = [_sign(values[number])
                  for number in self._nodes[self.core.layers[place]].sources]
        if place not in self._alone:
            self._alone[place] = self._try_plan(
                [replace(node, sources=tuple(range(len(inputs))))], inputs)
        run = self._run_plan(self._alone[place], inputs, states)
        return run.output, run.overflows[0], run.cells[0]

    def _facts(self):
        facts = [LayerFacts(host=True) for _ in self._nodes]
        if self.plan is not None:
            for index, step in zip(self.core.layers, self.plan.steps, strict=True):
                node   = self.network.nodes[index]
                values = (*node.sources, self.network.first + index)
                facts[index] = facts_of(step, bytes_moved=any(
                    is_unsigned(self.network.values[number]) for number in values))
        return tuple(facts)


def _sign(value):
    return as_signed(value) if is_unsigned(value) else value


def _compare(image, layer, result, output, overflow, cell):
    """The Difference of a layer from its golden Result, or None."""
    for what, wanted, actual in (("element", result.output, output),
                                 ("cell state", result.cell, cell)):
        if actual is not None and not np.array_equal(actual.data, wanted.data):
            where = tuple(int(i) for i in np.argwhere(wanted.data != actual.data)[0])
            return Difference(image, layer, f"{what} {where}", int(wanted.data[where]),
                              int(actual.data[where]))
    # No other library has such a flag.
    if isinstance(result.output, mli1.Tensor) and overflow != result.overflow:
        return Difference(image, layer, "overflow flag", int(result.overflow), int(overflow))
    return None

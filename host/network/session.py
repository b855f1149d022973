# SPDX-License-Identifier: Apache-2.0
"""Run a network on a device and compare its layers with golden, or run golden alone."""

from dataclasses import dataclass, replace

import numpy as np

from xymac import golden
from xymac.golden import mli1
from xymac.hdl.isa import COUNTERS
from xymac.host.device.device import check_device
from xymac.host.errors import InputError, check_type, translate_refusals
from xymac.host.files.html import html_table
from xymac.host.plan.run import layer_counters
from xymac.host.plural import plural
from xymac.host.runtime import Runtime

from .edges import split_network
from .facts import LayerFacts, facts_of
from .kernels import kernel_name
from .linker import link_network, plan_core, plan_nodes
from .network import Network, describe_value
from .unsigned import as_signed, as_unsigned, is_unsigned

__all__ = ["Difference", "NetworkRun", "Session"]


@dataclass(frozen=True)
class Difference:
    """First difference between the device's results and golden.

    Parameters
    ----------
    image, layer : int
    what : str, the differing value: "element (0, 1, 2)", "cell state (0,)" or "overflow flag"
    expected, actual : int or bool
    """

    image:    int
    layer:    int
    what:     str
    expected: int
    actual:   int


@dataclass(frozen=True, repr=False)
class NetworkRun:
    """A network's results for a single input.

    Parameters
    ----------
    values : tuple of golden Arrays by value number; layer outputs come from the device, if given
    outputs : tuple of golden Arrays, network outputs
    difference : Difference or None
    counters : tuple of dicts, a dict per layer; empty without a device
    compared : int, number of layers compared with golden
    seconds : float, device time
    network : Network
    """

    values:     tuple
    outputs:    tuple
    difference: Difference | None
    counters:   tuple
    compared:   int
    seconds:    float
    network:    object

    def __repr__(self):
        """Network, outputs and comparison in a line."""
        return (f"<NetworkRun of {self.network.name}: {', '.join(map(repr, self.outputs))}, "
                f"{self._verdict()}>")

    def _repr_html_(self):
        """Outputs of the layers as a table, for notebooks."""
        network = self.network
        head    = ["layer", "operator", "name", "output", "lowest", "highest"]
        rows    = [[str(index), network.operators[index], node.name,
                    describe_value(network.values[network.first + index]),
                    value.data.min().item(), value.data.max().item()]
                   for index, (node, value) in enumerate(zip(
                       network.nodes, self.values[network.first:], strict=True))]
        cycles  = [counters[COUNTERS[0]] for counters in self.counters or ()]
        if any(cycles):  # the device has a clock
            head.append("cycles")
            rows = [[*row, count] for row, count in zip(rows, cycles, strict=True)]
        return html_table(f"{network.name}: {self._verdict()}", head, rows)

    def _verdict(self):
        if not self.compared:
            return "golden alone"
        return ("equal to golden" if self.difference is None else
                f"differs from golden at {self.difference.what} of layer {self.difference.layer}")

    def __getitem__(self, name):
        """A layer's output by name or number, or an input by name: a golden Array."""
        network = self.network
        if isinstance(name, int):
            return self.values[network.first:][name]
        for number, value in enumerate(self.values):
            if network.name_of(number) == name:
                return value
        raise KeyError(f"{network.name} has no layer {name!r}, only "
                       f"{', '.join(network.names)}")


class Session:
    """A Network on an open Device, or on golden alone without a device.

    If a run returns no output for a layer, the layer runs again alone, on golden inputs. States
    persist between runs unless ``reset_states``. InputError if the network does not fit the device.

    Attributes
    ----------
    network, device : as given
    plan : Plan, TiledPlan or PartedPlan; None without a device, or if the host computes all layers
    facts : tuple of LayerFacts by layer; empty without a device
    core : Division of the network
    """

    def __init__(self, network, device=None, *, reset_states=False):
        check_type("network", network, Network, hint=": load_model reads a file")
        if device is not None:
            check_device(device)
        self.network, self.device = network, device
        self._reset = reset_states or not network.has_states
        self._nodes = list(network.nodes)
        self.core   = split_network(network)
        self._alone, self._loaded, self._states = {}, None, None
        self.plan   = None if device is None else plan_core(network, self.core, device.config)
        self._held  = tuple(each.first for each in network.variables)
        if device is not None:
            self._linked  = link_network(network, self.core, self.plan, device.config,
                                         checked=True)
            self._runtime = Runtime(self._linked.executable, device)
        self.facts  = () if device is None else self._facts()

    def __repr__(self):
        return f"<Session of {self.network.name} on {self.device or 'golden alone'}>"

    def run(self, *inputs, number=0):
        """Run an input, arrays with the network's input types and shapes; returns a NetworkRun.

        ``number`` becomes ``Difference.image``. InputError for other types or shapes.
        """
        results = self._golden_results(inputs)
        values  = [result.output for result in results]
        if self.device is None:
            run = self._collect(values, None, (), 0, 0.0)
        else:
            run = self._run_device(results, values, number)
        if not self._reset:
            self._follow(results[self.network.first:])
            self._held = self._variables(values)
        return run

    def _variables(self, values):
        """The variables' Arrays for the next run, a tuple, from all ``values`` of this run."""
        return tuple(replace(each.first, data=values[each.following].data)
                     for each in self.network.variables)

    def _collect(self, values, *others):
        return NetworkRun(tuple(values), tuple(values[number] for number in self.network.outputs),
                          *others, self.network)

    def _golden_results(self, inputs):
        """The golden Results of all values, a list."""
        network = self.network
        if len(inputs) != len(network.inputs):
            raise InputError(f"{network.name} takes {plural(len(network.inputs), 'input')}, "
                             f"not {len(inputs)}")
        for name, blank, data in zip(network.input_names, network.inputs, inputs, strict=True):
            check_type(f"The input {name}", data, np.ndarray)
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
        """Set the state of every stateful layer to its state after ``results``."""
        for index, (node, result) in enumerate(zip(self._nodes, results, strict=True)):
            if hasattr(node.layer, "following"):
                self._nodes[index] = replace(node, layer=node.layer.following(result))

    def _begin(self, runtime):
        """The Runtime ``runtime``, loaded on the device unless the device holds it already."""
        if self._loaded is not runtime:
            runtime.load()
            self._loaded = runtime
        return runtime

    def _run_device(self, results, expected, image):
        """Run the executable, then alone each layer whose output it lacks; returns a NetworkRun."""
        network, core, linked = self.network, self.core, self._linked
        states = linked.executable.states if self._states is None else self._states
        if self.plan is not None:
            _label(self.device, self.plan, [network.nodes[index] for index in core.layers])
        run    = self._begin(self._runtime).run(expected[:len(network.inputs)], states)
        actual = dict(enumerate(expected[:network.first]))
        actual |= {number: states[number] for number in range(len(network.inputs), network.held)}
        counters    = [dict.fromkeys(COUNTERS, 0) for _ in network.nodes]
        differences = []
        for index in core.host_layers:
            actual[network.first + index] = run.values[network.first + index]
        flags = ()
        if self.plan is not None:
            flags = self.plan.find_overflows(run.result)
            for position, counted in enumerate(layer_counters(self.plan, run.result)):
                counters[core.layers[position]] = counted
        for position, index in enumerate(core.layers):
            number = network.first + index
            if self.plan.steps[position].folded:
                actual[number] = expected[number]
                continue
            made = run.values.get(number), flags[position], _cell(linked, position, run)
            if made[0] is None:
                made = self._run_alone(position, expected, states)
            actual[number] = made[0]
            differences.append(_compare(image, index, results[number], *made))
        if not self._reset:
            self._states = run.states
        values = [actual[number] for number in range(len(expected))]
        return self._collect(values, next(filter(None, differences), None), tuple(counters),
                             len(differences), run.seconds)

    def _run_alone(self, position, values, states):
        """Run a device layer alone on golden ``values`` and ``states``.

        Returns (output, overflow flag, new cell state or None).
        """
        index  = self.core.layers[position]
        node   = self.core.nodes[position]
        inputs = [_sign(values[number]) for number in self._nodes[index].sources]
        if position not in self._alone:
            plan = plan_nodes(self.network, [replace(node, sources=tuple(range(len(inputs))))],
                              inputs, self.device.config)
            self._alone[position] = plan, Runtime(plan.executable, self.device)
        plan, runtime = self._alone[position]
        _label(self.device, plan, [self.network.nodes[index]])
        own    = (states[number] for number in self._linked.states[position])
        run    = plan.collect(self._begin(runtime).run(inputs, dict(zip(
            plan.executable.states, own, strict=True))))
        blank  = self.network.values[self.network.first + index]
        output = as_unsigned(run.output, blank) if is_unsigned(blank) else run.output
        return output, run.overflows[0], run.cells[0]

    def _facts(self):
        facts = [LayerFacts(host=True) for _ in self._nodes]
        if self.plan is not None:
            for index, step in zip(self.core.layers, self.plan.steps, strict=True):
                node   = self.network.nodes[index]
                values = (*node.sources, self.network.first + index)
                facts[index] = facts_of(step, bytes_moved=any(
                    is_unsigned(self.network.values[number]) for number in values))
        return tuple(facts)


def _label(device, plan, nodes):
    """Label every pass with its layer name; ``nodes`` are the Nodes of the plan's steps."""
    device.label({number: _name_of(node) for step, node in zip(plan.steps, nodes, strict=True)
                  for number in step.passes})


def _name_of(node):
    """A layer's name; a number gets its kernel name behind a colon."""
    return f"{node.name}:{kernel_name(node.layer)}" if node.name.isdigit() else node.name


def _sign(value):
    return as_signed(value) if is_unsigned(value) else value


def _cell(linked, position, run):
    """A core layer's new cell state, or None."""
    if linked.states[position]:
        return run.states[linked.states[position][-1]]
    return run.values[linked.cells[position]] if position in linked.cells else None


def _compare(image, layer, result, output, overflow, cell):
    """A layer's Difference from its golden Result, or None."""
    for what, wanted, actual in (("element", result.output, output),
                                 ("cell state", result.cell, cell)):
        if actual is not None and not np.array_equal(actual.data, wanted.data):
            where = tuple(int(i) for i in np.argwhere(wanted.data != actual.data)[0])
            return Difference(image, layer, f"{what} {where}", int(wanted.data[where]),
                              int(actual.data[where]))
    # Only mli-1 has an overflow flag.
    if isinstance(result.output, mli1.Tensor) and overflow != result.overflow:
        return Difference(image, layer, "overflow flag", int(result.overflow), int(overflow))
    return None

# SPDX-License-Identifier: Apache-2.0
"""A network's resource variables: their first values, and which variables are states.

Source: tensorflow/lite/micro/micro_resource_variable.cc; tensorflow/lite/micro/kernels,
call_once.cc, read_variable.cc, assign_variable.cc.
"""

from dataclasses import dataclass, field

import numpy as np

from xymac.host.errors import InputError

from .checks import name_of, short_name_of
from .model import TYPES
from .prepare import of_subgraph, prepare_graph

__all__ = ["Variables", "find_variables"]


@dataclass
class Variables:
    """A network's variables by key, with any type.

    Attributes
    ----------
    keys : dict from a handle's tensor number to its key
    firsts : dict from a key to the initial array
    entries : dict from a key to the first READ_VARIABLE's output tensor before every assignment,
        the value at invocation start
    assigned : set of keys assigned by operators
    """

    keys:     dict = field(default_factory=dict)
    firsts:   dict = field(default_factory=dict)
    entries:  dict = field(default_factory=dict)
    assigned: set = field(default_factory=set)

    @property
    def states(self):
        """Variable keys whose value passes to the next invocation, in order."""
        return [key for key in self.entries if key in self.assigned]

    @property
    def constants(self):
        """Read-only variables' keys, in order."""
        return [key for key in self.entries if key not in self.assigned]


def find_variables(model):
    """A Model's Variables; InputError for variables that cannot be states."""
    known, fills = Variables(), {}
    for number, operator in enumerate(model.operators):
        if operator.name == "VAR_HANDLE":
            [handle] = operator.outputs
            known.keys[handle] = _key(operator)
        elif operator.name == "CALL_ONCE":
            _begin(model, number, known)
        elif operator.name == "READ_VARIABLE":
            key = _key_of(model, number, known)
            if key not in known.assigned:
                known.entries.setdefault(key, operator.outputs[0])
        elif operator.name == "ASSIGN_VARIABLE":
            key = _key_of(model, number, known)
            known.assigned.add(key)
            fills.setdefault(key, model.tensors[operator.inputs[1]])
    for key, number in known.entries.items():
        tensor, name = model.tensors[number], short_name_of(model, number)
        first = known.firsts.setdefault(key, _fill(fills.get(key, tensor)))
        if first.dtype != TYPES[tensor.type] or first.shape != tensor.shape:
            raise InputError(f"The variable that {name} reads must be {first.dtype} of shape "
                             f"{first.shape}, as at first, not {TYPES[tensor.type]} of shape "
                             f"{tensor.shape}")
    return known


def _key(operator):
    return operator.options.container, operator.options.shared_name


def _key_of(graph, number, known):
    """An operator's variable key."""
    handle = graph.operators[number].inputs[0]
    if handle not in known.keys:
        raise InputError(f"{name_of(graph, number)}: its variable, "
                         f"{short_name_of(graph, handle)}, must be of a VAR_HANDLE")
    return known.keys[handle]


def _fill(tensor):
    """A variable's initial array in a Tensor's format: each byte is the low byte of its zero point.
    """
    data = np.zeros(tensor.shape, TYPES[tensor.type])
    if tensor.scales and tensor.zero_points:
        data.reshape(-1).view(np.uint8)[...] = tensor.zero_points[0] & 0xFF
    return data


def _begin(model, number, known):
    """Record the assignments in a CALL_ONCE operator's subgraph."""
    called = model.operators[number].options.init_subgraph_index
    graph  = model.others[called - 1]
    with of_subgraph(called):
        tensors, inner = prepare_graph(graph).tensors, Variables()
        for place, operator in enumerate(graph.operators):
            if operator.name == "VAR_HANDLE":
                inner.keys[operator.outputs[0]] = _key(operator)
            elif operator.name == "ASSIGN_VARIABLE":
                key, value = _key_of(graph, place, inner), operator.inputs[1]
                if tensors[value].data is None:
                    raise InputError(f"{name_of(graph, place)}: its value, "
                                     f"{short_name_of(graph, value)}, must be a constant")
                if key in known.entries or key in known.assigned:
                    raise InputError(f"{name_of(graph, place)} must come before all that reads or "
                                     f"assigns its variable")
                known.firsts[key] = tensors[value].data
            elif tensors[operator.outputs[0]].data is None if operator.outputs else True:
                raise InputError(f"{name_of(graph, place)} must have constant inputs, as it is "
                                 f"called once")

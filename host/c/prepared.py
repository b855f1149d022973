# SPDX-License-Identifier: Apache-2.0
"""Recorded MLI 1.x calls as C: each call is a separate network for ``xymac_mli_run.c``."""

import re
from dataclasses import replace
from functools import partial

import numpy as np

from xymac.host.errors import InputError
from xymac.host.network.linker import compile_network
from xymac.host.network.network import Network
from xymac.host.plan.graph import Node

from .initial import STATES, compile_states
from .listing import list_tables
from .sources import fill_in, read_source

__all__ = ["CALLS", "calls_file"]

CALLS = "calls.c"  #: The file.


def calls_file(calls, device):
    """C file text for a MliCall list, for an open Device's size.

    InputError, naming the call, for a call without passes or beyond the size.
    """
    tables, tensors, rows = [], [], []
    for index, call in enumerate(calls):
        prefix = f"call{index}_"
        network = "NULL"
        if call.layer is not None:
            network = f"&{prefix}network"
            tables.append(list_tables(_compile(call, index, device), network[1:], prefix))
        tensors += _tensors(call, prefix)
        rows.append(_row(call, prefix, network))
    return fill_in(read_source(CALLS), {
        "SIZE": device.config.name, "TABLES": "\n".join(tables), "TENSORS": "\n".join(tensors),
        "CALLS": "\n".join(rows)})


def _compile(call, index, device):
    """A call's Executable."""
    blanks  = tuple(replace(x, data=np.zeros_like(x.data)) for x in call.operands)
    compile_layer = partial(_compile_layer, name=call.name, blanks=blanks, device=device)
    try:
        if type(call.layer).__name__ in STATES:
            return compile_states(call.layer, compile_layer)
        return compile_layer(call.layer)
    except InputError as error:
        raise InputError(f"Call {index} of {call.name}: {error}") from error


def _compile_layer(layer, *, name, blanks, device):
    nodes = (Node(layer, tuple(range(len(blanks))), name),)
    names = tuple(f"input{index}" for index in range(len(blanks)))
    network = Network(name, nodes, blanks, input_names=names)
    return compile_network(network, device.config, cells=True)


def _tensors(call, prefix):
    """Definitions for the tensor fields and the configuration numbers."""
    yield f"static const xymac_mli_tensor {prefix}tensors[] = {{"
    for each in call.tensors:
        yield f"    {_fields(each)},"
    yield "};"
    if call.numbers:
        yield (f"static const int32_t {prefix}numbers[] = "
               f"{{{', '.join(map(str, call.numbers))}}};")


def _fields(shape):
    if shape is None:
        return "{-1, {0u, 0u, 0u, 0u}, 0, 0u, 0u}"
    sizes = ", ".join(f"{size}u" for size in shape.shape)
    return (f"{{{shape.rank}, {{{sizes}}}, {shape.type}, {shape.frac_bits}u, "
            f"UINT64_C(0x{shape.hash:X})}}")


def _text(reason):
    """A sentence as a C string, or NULL."""
    plain = reason.encode("ascii", "replace").decode()
    return '"' + re.sub(r'[\\"?]', lambda held: "\\" + held[0], plain) + '"' if reason else "NULL"


def _row(call, prefix, network):
    count  = -1 if call.numbers is None else len(call.numbers)
    listed = f"{prefix}numbers" if call.numbers else "NULL"
    inputs = ", ".join(map(str, call.inputs)) or "0"
    return (f'    {{"{call.name}", {prefix}tensors, {listed}, {len(call.tensors)}, {count}, '
            f"{call.overlaps}u, (mli_status){call.status}, {_text(call.reason)}, {network}, "
            f"{{{inputs}}}, "
            f"{_fields(call.result)}}},")

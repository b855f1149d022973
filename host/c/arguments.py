# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x arguments reported by a C program, as ``xymac.golden.api.mli1`` structures."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.api.mli1 import configs, types
from xymac.golden.api.mli1.memory import element_size

__all__ = ["TensorFields", "Told", "bind_arguments", "describe_tensor", "make_tensors"]

_ROOM = 1 << 24  # limit of kept tensor memory, bytes
#: By primitive: the configuration, and its fields as a program tells them.
_PADS      = ("padding_left", "padding_right", "padding_top", "padding_bottom")
_STRIDES   = ("stride_width", "stride_height")
_CONV      = (configs.mli_conv2d_cfg, (*_STRIDES, *_PADS, "relu"))
_POOL      = (configs.mli_pool_cfg, ("kernel_width", "kernel_height", *_STRIDES, *_PADS))
_CELL      = (configs.mli_rnn_cell_cfg, ("mode", "act"))
_CONFIGS   = {
    "conv2d": _CONV, "depthwise_conv2d": _CONV, "maxpool": _POOL, "avepool": _POOL,
    "lstm_cell": _CELL, "basic_rnn_cell": _CELL, "relu": (configs.mli_relu_cfg, ("type",)),
    "concat": (configs.mli_concat_cfg, ("tensors_num", "axis")),
    "padding2d": (configs.mli_padding2d_cfg, _PADS)}
_MEMBERS = {"mode": configs.mli_rnn_mode, "act": configs.mli_rnn_out_activation,
            "type": configs.mli_relu_type}


@dataclass(frozen=True)
class TensorFields:
    """A tensor's fields.

    Parameters
    ----------
    shape : tuple of 4 ints
    rank, type, frac_bits : int
    hash : int, a constant's data hash, else 0
    """

    shape:     tuple
    rank:      int
    type:      int
    frac_bits: int
    hash:      int = 0


@dataclass(frozen=True)
class Told:
    """A tensor as reported by a program: address, fields and first bytes.

    ``scalar`` is a rank-0 tensor's value; None for an output, whose rank has no meaning.
    """

    address:  int
    capacity: int
    shape:    TensorFields
    scalar:   int | None
    data:     bytes

    @property
    def room(self):
        """How many bytes of its memory to keep."""
        return max(min(self.capacity, _ROOM), len(self.data)) if self.address else 0

    @property
    def is_value(self):
        """Whether it holds its value instead of a pointer."""
        return self.scalar is not None and self.shape.rank == 0

    @property
    def hash(self):
        """64-bit FNV-1a hash over its data, or over its value."""
        value = 0xCBF29CE484222325
        data  = self.data
        if self.is_value:
            data = self.scalar.to_bytes(4, "little", signed=True)[:element_size(self.shape.type)]
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
        return value


def make_tensors(told):
    """``mli_tensor`` for each Told, None for None; overlapping memory stays overlapping."""
    blocks = []
    for start, end in sorted((each.address, each.address + each.room)
                             for each in told if each is not None and each.room):
        if blocks and start < blocks[-1][1]:
            blocks[-1][1] = max(end, blocks[-1][1])
        else:
            blocks.append([start, end])
    memory = [(start, end, np.zeros(end - start, np.uint8)) for start, end in blocks]
    views  = [None if each is None else _view(each, memory) for each in told]
    for each, view in zip(told, views, strict=True):
        if view is not None:
            view[:len(each.data)] = np.frombuffer(each.data, np.uint8)
    return [None if each is None else _make_tensor(each, view)
            for each, view in zip(told, views, strict=True)]


def _view(told, memory):
    """Its slice in the memory, None without an address."""
    if told.address and not told.room:
        return np.zeros(0, np.uint8)
    return next((data[told.address - start:told.address - start + told.room]
                 for start, end, data in memory if start <= told.address < end), None)


def _make_tensor(told, view):
    shape = told.shape
    return types.mli_tensor(
        told.scalar if told.is_value else view, told.capacity, shape.shape, shape.rank,
        _member(types.mli_element_type, shape.type),
        types.mli_element_params(types.mli_fx_params(shape.frac_bits)))


def _member(kind, value):
    """The enumeration member, or the value where it has none."""
    return kind(value) if value in [*kind] else value


def describe_tensor(tensor):
    """TensorFields for an ``mli_tensor``."""
    sizes = (*map(int, tensor.shape), 0, 0, 0, 0)[:4]
    return TensorFields(sizes, int(tensor.rank), int(tensor.el_type),
                        int(tensor.el_params.fx.frac_bits))


def bind_arguments(name, tensors, numbers):
    """Arguments for the function ``name``, a dict, and each argument's tensor index, another dict.

    A concatenation's inputs are named ``inputs0``, ``inputs1``, ... in the second dict.
    """
    places, arguments, following = {}, {}, iter(range(len(tensors)))
    for argument in name.arguments:
        if argument == "cfg":
            continue
        if argument == "inputs":
            for index in range(len(tensors) - 1):
                places[f"inputs{index}"] = next(following)
            arguments["inputs"] = tensors[:-1]
        else:
            places[argument] = next(following)
            arguments[argument] = tensors[places[argument]]
    if "cfg" in name.arguments:
        arguments["cfg"] = _configure(name.primitive, numbers, tensors)
    return arguments, places


def _configure(primitive, numbers, tensors):
    """A configuration; None if it is missing."""
    if numbers is None:
        return None
    if primitive == "permute":
        return configs.mli_permute_cfg(numbers)
    kind, names = _CONFIGS[primitive]
    fields = {name: _member(_MEMBERS[name], number) if name in _MEMBERS else number
              for name, number in zip(names, numbers, strict=True)}
    if "relu" in fields:
        fields["relu"] = configs.mli_relu_cfg(_member(configs.mli_relu_type, fields["relu"]))
    if kind is configs.mli_rnn_cell_cfg:
        fields["ir_tsr"] = tensors[-1]
    return kind(**fields)

"""Networks in .npz files.

A network file holds arrays and one JSON text under the key ``network``::

    {"format": 2,
     "name": "residual",
     "input": {"shape": [4, 8, 8], "dtype": "int8", "frac_bits": 4},
     "layers": [
        {"kind": "conv2d", "name": "inner",
         "weights": {"array": "layer0.weights", "frac_bits": 7},
         "bias": {"array": "layer0.bias", "frac_bits": 5},
         "out_frac_bits": 4, "stride": [1, 1], "pad": [1, 1, 1, 1],
         "relu": "gen", "layout": "chw", "rounding": "convergent"},
        {"kind": "eltwise", "inputs": ["inner", "input"], "op": "add"}]}

``kind`` is a key of ``host.network.kernels.KERNELS``. ``name`` is that of the output, the number
of the layer if left out; ``inputs`` are names of layers further up or ``input``, that of the
network, and if left out the layer before. The other keys are the fields of its class in golden; a
field with a default may be left out. The output of the last layer is that of the network.
"""

import json
import zipfile
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path

import numpy as np

from golden.mli1 import Tensor
from host.errors import InputError, translate_refusals
from host.files import write_whole
from host.plan.graph import previous

from .kernels import KERNELS, kernel_name
from .network import INPUT, check_elements, join_layers

__all__ = ["DAMAGES", "FORMAT", "load_arrays", "load_network", "save_arrays", "save_network"]

FORMAT = 2
_DESCRIPTION = "network"
_NAMES = ("kind", "name", "inputs")  #: Keys of a layer that are no fields.
#: What numpy raises when it reads a file that is none of its own.
DAMAGES = (AttributeError, EOFError, KeyError, MemoryError, NotImplementedError, OSError,
           RuntimeError, SyntaxError, TypeError, ValueError, zipfile.BadZipFile,
           zipfile.zlib.error)


def save_network(path, network):
    """Write ``network`` to the .npz file ``path``; nothing is left behind if that fails."""
    arrays, layers = {}, []
    for index, layer in enumerate(network.layers):
        values = {field.name: getattr(layer, field.name) for field in fields(layer)}
        layers.append({"kind": kernel_name(layer)} | _names(network, index) | {
            name: _encode(value, f"layer{index}.{name}", arrays) for name, value in values.items()})
    description = {
        "format": FORMAT, "name": network.name,
        "input": {"shape": list(network.input_shape), "dtype": network.dtype.name,
                  "frac_bits": network.inputs[0].frac_bits},
        "layers": layers}
    save_arrays(path, {_DESCRIPTION: np.array(json.dumps(description))} | arrays)


def load_network(path):
    """Read the Network in ``path``; InputError if it is missing, damaged or not a network."""
    arrays = load_arrays(path)
    try:
        return _decode_network(arrays)
    except InputError as error:
        raise InputError(f"{path} is not a network: {error}") from error


def _decode_network(arrays):
    with translate_refusals("the description", RecursionError, ValueError):
        description = json.loads(str(_entry(arrays, _DESCRIPTION)))
    version = _entry(description, "format")
    if version != FORMAT:
        raise InputError(f"format must be {FORMAT}, not {version!r}")
    source  = _entry(description, "input")
    entries = _entry(description, "layers", list)
    names   = _layer_names(entries)
    return join_layers(
        str(_entry(description, "name")), _input(source),
        tuple(_decode_layer(name, entry, arrays)
              for name, entry in zip(names, entries, strict=True)),
        tuple(_sources(index, entry, names) for index, entry in enumerate(entries)), names)


def _input(source):
    """Zeros in the format of the input."""
    shape, dtype = _shape(_entry(source, "shape")), _dtype(_entry(source, "dtype"))
    frac_bits = _entry(source, "frac_bits")
    check_elements("The input", shape)
    with translate_refusals("input", TypeError, ValueError):
        return Tensor(np.zeros(shape, dtype), frac_bits)


def save_arrays(path, arrays):
    """Write a compressed .npz to ``path`` at once: a failure leaves the old file or none."""
    with write_whole(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load_arrays(path):
    """Read all arrays of the .npz file ``path``; InputError if it is missing or damaged."""
    if not Path(path).is_file():
        raise InputError(f"There is no file {path}")
    try:
        source = Path(path).open("rb")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}") from error
    try:
        with source, np.load(source, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except DAMAGES:
        raise InputError(f"{path} is damaged or not an .npz file") from None


def _entry(mapping, key, kind=object):
    if not isinstance(mapping, dict):
        raise InputError(f"expected an object with the key {key!r}, not {mapping!r}")
    if key not in mapping:
        raise InputError(f"the key {key!r} is missing")
    if not isinstance(mapping[key], kind):
        raise InputError(f"{key!r} must be a {kind.__name__}, not {mapping[key]!r}")
    return mapping[key]


def _shape(value):
    if not isinstance(value, list) or not value or not all(
            type(size) is int and size > 0 for size in value):
        raise InputError(f"shape must be a list of positive ints, not {value!r}")
    return tuple(value)


def _dtype(name):
    if name not in ("int8", "int16"):
        raise InputError(f"dtype must be int8 or int16, not {name!r}")
    return np.dtype(name)


def _encode(value, name, arrays):
    if isinstance(value, Tensor):
        arrays[name] = value.data
        return {"array": name, "frac_bits": value.frac_bits}
    return value.name.lower() if isinstance(value, Enum) else value


def _names(network, index):
    """What the file says about the name and the inputs of a layer, defaults left out."""
    name, sources = network.names[index], network.nodes[index].sources
    known = (INPUT, *network.names)
    return {
        **({} if name == str(index) else {"name": name}),
        **({} if sources == previous(index) else {"inputs": [known[number] for number in sources]})}


def _layer_names(entries):
    """Names of all layers."""
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise InputError(f"layer {index} must be an object, not {entry!r}")
    return tuple(_entry(entry, "name", str) if "name" in entry else str(index)
                 for index, entry in enumerate(entries))


def _sources(index, entry, names):
    """Values that layer ``index`` takes."""
    if "inputs" not in entry:
        return previous(index)
    known = (INPUT, *names[:index])
    for name in _entry(entry, "inputs", list):
        if name not in known:
            raise InputError(f"layer {names[index]}: inputs must be of {', '.join(known)}, "
                             f"not {name!r}")
    return tuple(known.index(name) for name in entry["inputs"])


def _decode_layer(index, entry, arrays):
    name = _entry(entry, "kind", str)
    if name not in KERNELS:
        raise InputError(f"layer {index}: kind must be one of {', '.join(KERNELS)}, not {name!r}")
    known = {field.name: field for field in fields(KERNELS[name])}
    for key in entry:
        if key not in _NAMES and key not in known:
            raise InputError(f"layer {index} ({name}): there is no parameter {key!r}")
    try:
        values = {key: _decode(key, field.type, _entry(entry, key), arrays)
                  for key, field in known.items() if key in entry or field.default is MISSING}
    except InputError as error:
        raise InputError(f"layer {index} ({name}): {error}") from error
    with translate_refusals(f"layer {index} ({name})", OverflowError, TypeError, ValueError):
        return KERNELS[name](**values)


def _decode(name, kind, value, arrays):
    if kind is Tensor:
        data, frac_bits = _entry(arrays, _entry(value, "array", str)), _entry(value, "frac_bits")
        with translate_refusals(name, TypeError, ValueError):
            return Tensor(data, frac_bits)
    if kind is tuple:
        return tuple(value) if isinstance(value, list) else value
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = {member.name.lower(): member for member in kind}
        if not isinstance(value, str) or value not in members:
            raise InputError(f"{name} must be one of {', '.join(members)}, not {value!r}")
        return members[value]
    return value

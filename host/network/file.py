# SPDX-License-Identifier: Apache-2.0
"""Networks in .npz files.

A network file holds arrays and a JSON text under the key ``network``::

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

``kind`` is a key of ``xymac.host.network.kernels.KERNELS``: MLI 2.0 kernels begin with ``mli2.``,
lib_nn kernels with ``xs3.``. ``name`` is the output name, by default the layer number. ``inputs``
are earlier layers' names or ``input``, the network input; the default is the previous layer. The
other keys are the golden class's fields; fields with defaults can be omitted. Dataclass fields are
objects. The last layer's output is the network output.

``input`` is an Array of the first layer's library, or of the library in its key ``library``: for
MLI 1.x it has ``frac_bits``, for MLI 2.0 ``element`` and ``format``, for lib_nn nothing else::

    "input": {"shape": [8, 8, 1], "dtype": "int8", "library": "mli2", "element": "sa_8",
              "format": {"zero_point": -128, "scale": 16448, "scale_frac_bits": 22, "dim": -1}}
"""

import json
from dataclasses import fields

import numpy as np

from xymac.host.errors import InputError, check_path, check_type, suggest, translate_refusals
from xymac.host.files.arrays import load_arrays, save_arrays
from xymac.host.plan.graph import previous

from .fields import decode, decode_fields, encode, field_types
from .fields import entry_of as _entry
from .kernels import ARRAYS, KERNELS, kernel_name, library_of
from .network import INPUT, Network, check_elements, join_layers

__all__ = ["FORMAT", "load_network", "save_network"]

FORMAT = 2
_DESCRIPTION = "network"
_NAMES = ("kind", "name", "inputs")  #: Layer keys besides the fields.
_INPUT = ("shape", "dtype", "library")  #: Input keys besides the fields.
_DTYPES = {"mli1": ("int8", "int16"), "mli2": ("int8", "int16", "int32"),
           "xs3": ("int8", "uint8", "int16", "uint16", "int32")}  #: Input types by library.


def save_network(path, network):
    """Write the Network ``network`` to the .npz file ``path``; a failure leaves no file."""
    check_path("path", path)
    check_type("network", network, Network, hint=": join_layers makes one of layers")
    arrays, layers = {}, []
    for index, layer in enumerate(network.layers):
        values = {field.name: getattr(layer, field.name) for field in fields(layer)}
        layers.append({"kind": kernel_name(layer)} | _names(network, index) | {
            name: encode(value, f"layer{index}.{name}", arrays) for name, value in values.items()})
    description = {"format": FORMAT, "name": network.name, "input": _describe_input(network),
                   "layers": layers}
    save_arrays(path, {_DESCRIPTION: np.array(json.dumps(description))} | arrays)


def load_network(path):
    """Read the Network in ``path``; InputError if it is missing, damaged or not a network."""
    check_path("path", path)
    arrays = load_arrays(path)
    try:
        with translate_refusals("it is damaged", Exception):  # It may hold anything anywhere.
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
        str(_entry(description, "name")),
        _input(source, [_entry(entry, "kind", str) for entry in entries[:1]]),
        tuple(_decode_layer(name, entry, arrays)
              for name, entry in zip(names, entries, strict=True)),
        tuple(_sources(index, entry, names) for index, entry in enumerate(entries)), names)


def _describe_input(network):
    """The only input's file entry, a dict."""
    blank   = network.inputs[0]
    library = next((name for name, kind in ARRAYS.items() if type(blank) is kind), None)
    if library is None or len(network.inputs) > 1:
        raise InputError(f"A network file holds layers of {', '.join(ARRAYS)} with one input")
    known = {} if library == "mli1" else {"library": library}
    return {"shape": list(blank.shape), "dtype": blank.data.dtype.name} | known | {
        field.name: encode(getattr(blank, field.name), "", {})
        for field in fields(blank) if field.name != "data"}


def _input(source, kinds):
    """Zeros in the input format for layers with the kernel names ``kinds``."""
    shape   = _shape(_entry(source, "shape"))
    library = source.get("library", library_of(kinds[0]) if kinds else "mli1")
    if not isinstance(library, str) or library not in ARRAYS:
        raise InputError(f"library must be one of {', '.join(ARRAYS)}, not {library!r}")
    dtype = _dtype(_entry(source, "dtype"), library)
    check_elements("The input", shape)
    for key in source:
        if key not in (*_INPUT, *(field.name for field in fields(ARRAYS[library]))):
            raise InputError(f"the input has no parameter {key!r}")
    types  = field_types(ARRAYS[library])
    values = {field.name: decode(field.name, types[field.name], _entry(source, field.name), {},
                                 None)
              for field in fields(ARRAYS[library]) if field.name != "data"}
    with translate_refusals("input", TypeError, ValueError):
        return ARRAYS[library](np.zeros(shape, dtype), **values)


def _shape(value):
    if not isinstance(value, list) or not value or not all(
            type(size) is int and size > 0 for size in value):
        raise InputError(f"shape must be a list of positive ints, not {value!r}")
    return tuple(value)


def _dtype(name, library):
    known = _DTYPES[library]
    if name not in known:
        raise InputError(f"dtype must be {', '.join(known[:-1])} or {known[-1]}, not {name!r}")
    return np.dtype(name)


def _names(network, index):
    """A layer's name and inputs in the file, without defaults."""
    name, sources = network.names[index], network.nodes[index].sources
    known = (INPUT, *network.names)
    return {
        **({} if name == str(index) else {"name": name}),
        **({} if sources == previous(index) else {"inputs": [known[number] for number in sources]})}


def _layer_names(entries):
    """All layer names."""
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise InputError(f"layer {index} must be an object, not {entry!r}")
    return tuple(_entry(entry, "name", str) if "name" in entry else str(index)
                 for index, entry in enumerate(entries))


def _sources(index, entry, names):
    """Layer ``index``'s input value numbers."""
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
        raise InputError(f"layer {index}: kind must be one of {', '.join(KERNELS)}, not {name!r}"
                         f"{suggest(name, KERNELS)}")
    known = {field.name: field for field in fields(KERNELS[name])}
    for key in entry:
        if key not in _NAMES and key not in known:
            raise InputError(f"layer {index} ({name}): there is no parameter {key!r}")
    kind, array = KERNELS[name], ARRAYS[library_of(name)]
    try:
        values = decode_fields(kind, entry, arrays, array)
    except InputError as error:
        raise InputError(f"layer {index} ({name}): {error}") from error
    with translate_refusals(f"layer {index} ({name})", OverflowError, TypeError, ValueError):
        return kind(**values)

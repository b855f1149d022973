"""The block that every bit of a netlist comes from, by the names in the source."""

import re

from .report import TOP
from .rtlil import plain_name

__all__ = ["bit_names", "bit_owners"]

_MODULE = re.compile(r"^module \\(\S+)", re.MULTILINE)
_WIRE   = re.compile(r"^\s*wire (?:.* )?\\(\S+)$", re.MULTILINE)
_INPUT  = re.compile(r"^\s*wire .*\binput \d+ +\\(\S+)$", re.MULTILINE)
_FIELD  = re.compile(r"[.\[]")


def bit_owners(netlist, source, top):
    """Block of each named bit of a netlist from yosys: ``{bit: path}``.

    Parameters
    ----------
    netlist : dict, the module ``top`` of the JSON netlist
    source : str, RTLIL from Amaranth
    top : str, name of the top module

    A bit has a name in every block that it reaches. Names of input ports lie outside of the driver,
    so the deepest block of the other names drives the bit.
    """
    inputs, wires = _ports(source, top)
    owners = {}
    for name, net in netlist["netnames"].items():
        words = net["attributes"].get("hdlname", "").split()
        path  = plain_name(".".join(words[:-1])) if words else TOP
        if words and _base(words[-1]) in inputs.get(path, ()):
            continue
        if not words and name not in wires and _base(name) not in wires:
            continue  # a name that yosys made
        for bit in net["bits"]:
            if isinstance(bit, int) and _depth(path) >= _depth(owners.get(bit, TOP)):
                owners[bit] = path
    return owners


def bit_names(netlist):
    """Bits of a netlist from yosys by the names that nextpnr gives them: ``{name: bit}``."""
    names = {}
    for name, net in netlist["netnames"].items():
        low, bits = net.get("offset", 0), net["bits"]
        alone = len(bits) == 1 and low == 0
        names |= {name if alone else f"{name}[{low + at}]": bit for at, bit in enumerate(bits)}
    return names


def _ports(source, top):
    """Names of the input ports of each block, and of all wires of the top module."""
    heads = [*_MODULE.finditer(source)]
    ends  = [head.start() for head in heads[1:]] + [len(source)]
    inputs, wires = {}, set()
    for head, end in zip(heads, ends, strict=True):
        text = source[head.end():end]
        if head[1] == top:
            wires = set(_WIRE.findall(text))
        path = plain_name(head[1]).removeprefix(f"{top}.")
        inputs.setdefault(path, set()).update(_INPUT.findall(text))
    return inputs, wires


def _base(name):
    """Name of a signal without that of a field or an element."""
    return _FIELD.split(name, maxsplit=1)[0]


def _depth(path):
    return 0 if path == TOP else 1 + path.count(".")

# SPDX-License-Identifier: Apache-2.0
"""Carry chain ends: avoids the cells that place and route would add there."""

from itertools import count

__all__ = ["open_carries", "start_carries"]

_CELL, _CARRY, _COMING = "CCU2C", "COUT", "CIN"  # ECP5 cell for two carry bits
_INPUTS = "ABCD"  # inputs to each lookup table
_HALVES = "0", "1"  # cell halves; also a constant's values
_OPEN   = "x"     # nextpnr requires the port, without a net
_EMPTY  = {"INIT": 0, "A": "0", "B": "0", "C": "0", "D": "0", "S": None}  # an unused half


def open_carries(netlist):
    """Disconnect carries without readers, in place; returns their number.

    yosys connects the last carry of every chain. nextpnr spends two LUT4 on each connected carry to
    lead it out of the chain, even without a reader.
    """
    opened = 0
    for module in netlist["modules"].values():
        free, read = set(), _readers(module)
        for cell in module["cells"].values():
            carry = cell["connections"][_CARRY] if cell["type"] == _CELL else [_OPEN]
            if carry != [_OPEN] and not read.intersection(carry):
                cell["connections"][_CARRY] = [_OPEN]
                free.update(carry)
                opened += 1
        _forget(module, free)
    return opened


def start_carries(netlist):
    """Start chains without a cell for their constant first carry, in place; returns their number.

    nextpnr spends two LUT4 to lead even a constant into a chain. A cell half generates a new carry
    if its table is 0 for its inputs: the table over its first two inputs alone then yields the
    carry, a constant or the lowest bit's carry. A chain with an odd number of bits has a free half
    for it. Any other chain needs a LUT4 for the lowest sum bit, if that bit is read. Call
    ``open_carries`` first.
    """
    started = 0
    for module in netlist["modules"].values():
        free, fresh = set(), count(1 + max(_bits(module)))
        for names, halves in list(_chains(module)):
            first = int(_coming(module, names[0]))
            lut   = None
            if len(halves) % 2:
                halves.insert(0, _constant(first))
            elif halves and {halves[0]["C"], halves[0]["D"]} <= set(_HALVES):
                halves[0], lut = _split(halves[0], first)
            else:
                continue
            free |= _rebuild(module, names, halves, fresh)
            if lut:
                module["cells"][f"{names[0]}_lowest"] = lut
            started += 1
        _forget(module, free)
    return started


def _readers(module, besides=None):
    """Bits with a reader; ports named ``besides`` do not count."""
    read = {bit for port in module.get("ports", {}).values() for bit in port["bits"]}
    return read | {bit for cell in module["cells"].values()
                   for port, bits in cell["connections"].items()
                   if port != besides and cell["port_directions"].get(port) != "output"
                   for bit in bits}


def _bits(module):
    """All net numbers, and 0."""
    return {0} | {bit for cell in module["cells"].values() for bits in cell["connections"].values()
                  for bit in bits if isinstance(bit, int)}


def _forget(module, bits):
    """Drop the names for removed nets ``bits``."""
    module["netnames"] = {name: net for name, net in module["netnames"].items()
                          if not bits.intersection(net["bits"])}


def _coming(module, name):
    """A cell's carry input: a bit, "0" or "1"."""
    (bit,) = module["cells"][name]["connections"][_COMING]
    return bit


def _chains(module):
    """Yield every chain with a constant first carry: its cell names, and their halves.

    The cells are in order from the lowest bits on. If another kind of cell reads a carry, the chain
    ends there. Then only its first cell is yielded, and all its other cells stay unchanged.
    """
    cells = {name: cell for name, cell in module["cells"].items()
             if cell["type"] == _CELL and cell["parameters"]["INJECT1_0"] == "NO"}
    after = {_coming(module, name): name for name in cells}
    taken = _readers(module, besides=_COMING)
    sums  = _readers(module)
    for name, cell in cells.items():
        if _coming(module, name) not in _HALVES:
            continue
        chain = [name]
        while (carry := cells[chain[-1]]["connections"][_CARRY][0]) in after \
                and carry not in taken:
            chain.append(after[carry])
        if carry != _OPEN:
            yield [name], _halves(cell, sums)
            continue
        halves = [half for part in chain for half in _halves(cells[part], sums)]
        while halves and halves[-1]["S"] is None:
            halves.pop()
        yield chain, halves


def _halves(cell, read):
    """Table, inputs and sum for both halves of a cell; None for a sum outside ``read``."""
    totals = [cell["connections"][f"S{half}"][0] for half in _HALVES]
    return [{"INIT": int(cell["parameters"][f"INIT{half}"], 2),
             "S": total if total in read else None,
             **{pin: cell["connections"][f"{pin}{half}"][0] for pin in _INPUTS}}
            for half, total in zip(_HALVES, totals, strict=True)]


def _constant(carry):
    """A half that generates a constant carry: its table is 0 if the last input is 1."""
    return {**_EMPTY, "INIT": 0xF * carry, "D": "1"}


def _split(half, carry):
    """A half that generates only the lowest bit's carry, and a LUT4 for its sum or None."""
    chosen = int(half["D"] + half["C"], 2) << 2
    table  = half["INIT"]
    gives  = sum((carry if table >> (chosen | pair) & 1 else table >> pair & 1) << pair
                 for pair in range(4))
    lut = None
    if half["S"] is not None:
        flipped = table ^ 0xFFFF * carry
        lut = {"hide_name": 0, "type": "LUT4", "parameters": {"INIT": f"{flipped:016b}"},
               "attributes": {}, "port_directions": {
                   **dict.fromkeys(_INPUTS, "input"), "Z": "output"},
               "connections": {**{pin: [half[pin]] for pin in _INPUTS}, "Z": [half["S"]]}}
    return {**_constant(0), "INIT": gives, "A": half["A"], "B": half["B"]}, lut


def _rebuild(module, names, halves, fresh):
    """Fill the cells ``names`` with ``halves``, delete unused cells; returns the removed bits.

    Unread sums become ``fresh`` bits.
    """
    gone  = set()
    pairs = list(zip(halves[::2], halves[1::2], strict=True))
    for name in names[len(pairs):]:
        unused = module["cells"].pop(name)["connections"]
        gone.update(*(unused[port] for port in (_CARRY, "S0", "S1")))
    for name, pair in zip(names, pairs, strict=False):
        cell = module["cells"][name]
        for half, content in zip(_HALVES, pair, strict=True):
            gone.update(cell["connections"][f"S{half}"])
            cell["parameters"][f"INIT{half}"] = f"{content['INIT']:016b}"
            for pin in _INPUTS:
                cell["connections"][f"{pin}{half}"] = [content[pin]]
            cell["connections"][f"S{half}"] = [
                next(fresh) if content["S"] is None else content["S"]]
    if len(names) > len(pairs):
        last = module["cells"][names[len(pairs) - 1]]["connections"]
        gone.update(last[_CARRY])
        last[_CARRY] = [_OPEN]
    module["cells"][names[0]]["connections"][_COMING] = [_OPEN]
    return gone - {half["S"] for half in halves} - {_OPEN}

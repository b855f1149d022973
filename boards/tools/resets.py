# SPDX-License-Identifier: Apache-2.0
"""Wide resets of an ECP5 on global nets, which leave the wires between tiles to other nets.

nextpnr promotes clocks alone to global nets. A reset of thousands of registers then enters nearly
every tile through the few wires that its reset inputs can take, and the router meets congestion.
"""

from collections import Counter

__all__ = ["promote_resets"]

_WIDEST = 1000  #: Fewest registers on a reset that justify global nets.
_WIDE   = 300   #: Fewest registers on a reset that goes global beside such a reset.
_MOST   = 4     #: Most resets on global nets.
_DIRECT = 4     #: First global net with a path to the reset inputs. Source: Project Trellis.
_CLOCK  = 5     #: Fewest clock inputs for which nextpnr promotes a net. Source: nextpnr, ecp5.
_RESETS = {"TRELLIS_FF": ("LSR", 1)}
#: Clock inputs, and their weight in nextpnr's count, by cell type. Source: nextpnr, ecp5.
_CLOCKS = {"TRELLIS_FF": ("CLK", 1), "TRELLIS_DPR16X4": ("WCK", 1), "IDDRX1F": ("SCLK", 11),
           "ODDRX1F": ("SCLK", 11)}


def promote_resets(module):
    """Drive the wide resets of a netlist module through global buffers; returns the buffers' names.

    Parameters
    ----------
    module : dict, a module in yosys' JSON format, of ECP5 cells; changed in place

    nextpnr numbers the global nets: its own clocks first, then the nets of given buffers in falling
    order of their names. So buffers without loads take the numbers before ``_DIRECT``.
    """
    cells, names = module["cells"], module["netnames"]
    resets, clocks = _count(cells, _RESETS), _count(cells, _CLOCKS)
    wide = [net for net, count in resets.most_common(_MOST) if count >= _WIDE]
    if not wide or resets[wide[0]] < _WIDEST:
        return []
    idle = max(0, _DIRECT - sum(count >= _CLOCK for count in clocks.values()))
    free = 1 + max(bit for cell in cells.values() for bits in cell["connections"].values()
                   for bit in bits if isinstance(bit, int))
    sources = [*wide, *wide[:1] * idle]
    buffers = [f"reset_buffer_{number}" for number in range(len(sources))]
    for number, (name, net) in enumerate(zip(buffers, sources, strict=True)):
        cells[name] = _buffer(net, free + number)
        names[name] = {"hide_name": 0, "bits": [free + number], "attributes": {}}
    buffered = {net: free + number for number, net in enumerate(wide)}
    for cell in cells.values():
        if cell["type"] == "TRELLIS_FF" and (reset := cell["connections"].get("LSR")):
            cell["connections"]["LSR"] = [buffered.get(reset[0], reset[0])]
    return buffers


def _count(cells, ports):
    """Counter of nets at inputs; ``ports`` has an input's name and its weight by cell type."""
    nets = Counter()
    for cell in cells.values():
        port, weight = ports.get(cell["type"], (None, 0))
        for bit in cell["connections"].get(port, ()):
            if isinstance(bit, int):
                nets[bit] += weight
    return nets


def _buffer(source, target):
    """A global buffer between two nets, always enabled."""
    return {"hide_name": 0, "type": "DCCA", "parameters": {}, "attributes": {},
            "port_directions": {"CLKI": "input", "CE": "input", "CLKO": "output"},
            "connections": {"CLKI": [source], "CE": ["1"], "CLKO": [target]}}

# SPDX-License-Identifier: Apache-2.0
"""Cell counts for a packed netlist, by block."""

from collections import Counter, defaultdict

from .owner import bit_names, bit_owners
from .report import block_of
from .rtlil import blocks_of

__all__ = ["count_cells"]

_NEXTPNR = "$TRELLIS_IO"  # nextpnr's suffix for nets at pads


def count_cells(netlist, packed, source, top, resources):
    """Count all cells of the packed design by block: ``{path: {resource: count}}``.

    Parameters
    ----------
    netlist, packed : dict, JSON netlists from yosys, and from nextpnr after packing
    source : str, RTLIL from Amaranth
    top : str, top module name
    resources : dict, resource names by cell type, see ``family.Family``

    A cell belongs to the block of the net it drives. A net without a name in the source belongs to
    the block with most of its readers, a cell without nets to the block in its name.
    """
    module = netlist["modules"][top]
    owners, names = bit_owners(module, source, top), bit_names(module)
    (design,) = packed["modules"].values()
    known = {}
    for name, net in design["netnames"].items():
        bit = names.get(name.partition(_NEXTPNR)[0])
        if bit in owners:
            known |= dict.fromkeys(net["bits"], owners[bit])
    counts = defaultdict(lambda: dict.fromkeys(resources.values(), 0))
    homes, blocks = _spread(design["cells"], known), blocks_of(source, top)
    for name, cell in design["cells"].items():
        if resource := resources.get(cell["type"]):
            counts[homes.get(name) or block_of(name, blocks)][resource] += 1
    return dict(sorted(counts.items()))


def _spread(cells, known):
    """Each cell's block: from a named net it drives, else its readers, else its inputs."""
    drives = {name: _bits(cell, "output") for name, cell in cells.items()}
    reads  = {name: _bits(cell, "input") for name, cell in cells.items()}
    readers, drivers = _invert(reads), _invert(drives)
    owners = {name: path for name, bits in drives.items()
             if (path := _most(known[bit] for bit in bits if bit in known))}
    for ends, around in ((drives, readers), (reads, drivers)):
        while fresh := _step(owners, ends, around):
            owners |= fresh
    return owners


def _step(owners, ends, around):
    """Find blocks for cells without a block, from neighbours with a block."""
    fresh = {}
    for name, bits in ends.items():
        if name not in owners:
            near = (owners[cell] for bit in bits for cell in around.get(bit, ()) if cell in owners)
            if path := _most(near):
                fresh[name] = path
    return fresh


def _bits(cell, direction):
    """Bits at the cell ports with ``direction``."""
    ports = cell["port_directions"]
    return [bit for port, bits in cell["connections"].items() if ports[port] == direction
            for bit in bits if isinstance(bit, int)]


def _invert(bits_of):
    """Cells by bit, from bits by cell."""
    cells = defaultdict(list)
    for name, bits in bits_of.items():
        for bit in bits:
            cells[bit].append(name)
    return cells


def _most(paths):
    """Most frequent path, the first by name among equals; None without paths."""
    counts = Counter(paths)
    return min(counts, key=lambda path: (-counts[path], path)) if counts else None

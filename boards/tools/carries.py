"""Carry chains whose last carry nobody reads."""

__all__ = ["open_carries"]

_CELL, _CARRY = "CCU2C", "COUT"  # two bits of a carry chain of an ECP5, and the port to the next
_OPEN = "x"  # nextpnr wants the port, but no net


def open_carries(netlist):
    """Disconnect carries without readers, in place; returns how many.

    yosys connects the last carry of every chain. nextpnr takes two LUT4 for each connected one to
    lead it out of the chain, whether or not there is a reader.
    """
    opened = 0
    for module in netlist["modules"].values():
        cells = module["cells"].values()
        read  = {bit for port in module.get("ports", {}).values() for bit in port["bits"]}
        read |= {bit for cell in cells for port, bits in cell["connections"].items()
                 if (cell["type"], port) != (_CELL, _CARRY) for bit in bits}
        free = set()
        for cell in cells:
            carry = cell["connections"][_CARRY] if cell["type"] == _CELL else [_OPEN]
            if carry != [_OPEN] and not read.intersection(carry):
                cell["connections"][_CARRY] = [_OPEN]
                free.update(carry)
                opened += 1
        module["netnames"] = {name: net for name, net in module["netnames"].items()
                              if not free.intersection(net["bits"])}
    return opened

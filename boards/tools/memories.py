# SPDX-License-Identifier: Apache-2.0
"""Use block RAM output registers in place of netlist registers."""

__all__ = ["absorb_registers"]

_CELL, _REGISTER = "DP16KD", "TRELLIS_FF"
_BITS  = 18  # bits of a port
_PAIRS = 36  # width of port A in a block RAM with a write port and a read port
#: Parameters of a register that loads every cycle and starts at 0.
_PLAIN = {"CEMUX": "1", "CLKMUX": "CLK", "REGSET": "RESET"}


def absorb_registers(netlist):
    """Replace netlist registers with block RAM output registers, in place; returns their number.

    A port's output registers are used if each read bit drives exactly one register, which loads
    every cycle, starts at 0 and has no reset. Ports with conditional reads keep their registers,
    and so do 36-bit block RAMs, whose reads use the registers of both ports.
    """
    absorbed = 0
    for module in netlist["modules"].values():
        readers, gone = _readers(module), set()
        for cell in [cell for cell in module["cells"].values() if cell["type"] == _CELL]:
            for side in "AB":
                registers = _registers(module, cell, side, readers)
                for pin, name in registers.items():
                    gone.update(cell["connections"][pin])
                    cell["connections"][pin] = module["cells"].pop(name)["connections"]["Q"]
                if registers:
                    cell["parameters"][f"REGMODE_{side}"] = "OUTREG"
                    absorbed += len(registers)
        module["netnames"] = {name: net for name, net in module["netnames"].items()
                              if not gone.intersection(net["bits"])}
    return absorbed


def _readers(module):
    """(cell, port) pairs that read each bit; (None, None) for a module port."""
    readers = {}
    for port in module.get("ports", {}).values():
        for bit in port["bits"]:
            readers.setdefault(bit, []).append((None, None))
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) == "input":
                for bit in bits:
                    readers.setdefault(bit, []).append((name, port))
    return readers


def _registers(module, cell, side, readers):
    """Register names by the output pin they follow; empty if the port cannot absorb them."""
    pins, given = cell["connections"], cell["parameters"]
    fixed = {f"CE{side}": "1", f"OCE{side}": "1", f"RST{side}": "0"}
    if (int(given["DATA_WIDTH_A"], 2) == _PAIRS or given[f"REGMODE_{side}"] != "NOREG"
            or given[f"CLK{side}MUX"] != f"CLK{side}"
            or any(pins[pin] != [value] for pin, value in fixed.items())):
        return {}
    registers = {}
    for pin in (f"DO{side}{bit}" for bit in range(_BITS)):
        takers = [taker for bit in pins.get(pin, ()) for taker in readers.get(bit, ())]
        if not takers:
            continue
        name, port = takers[0]
        if len(takers) > 1 or port != "DI" or not _is_plain(module["cells"][name],
                                                            pins[f"CLK{side}"]):
            return {}
        registers[pin] = name
    return registers


def _is_plain(cell, clock):
    """Whether a cell is a register that loads its input at every ``clock`` edge."""
    given = {name: str(value).strip() for name, value in cell["parameters"].items()}
    return (cell["type"] == _REGISTER and cell["connections"]["CLK"] == clock
            and cell["connections"].get("LSR", ["0"]) == ["0"]
            and all(given.get(name) == value for name, value in _PLAIN.items()))

# SPDX-License-Identifier: Apache-2.0
"""Contract tables: sizes, registers, regions, pass fields, ports."""

import inspect
import re

from amaranth import Shape
from amaranth.lib import wiring

from xymac.boards.header import pass_fields
from xymac.hdl.axi import CoreAxi
from xymac.hdl.config import CORES, SIZES, TINY
from xymac.hdl.isa import (
    ACC_BITS,
    BACK_MAX,
    ELEMENT_BITS,
    FLOOR_MAX,
    HELD,
    OPERATIONS,
    REGIONS,
    REGISTERS,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLES,
    Op,
    Status,
)

from .table import markdown

__all__ = ["limits", "operations", "ports", "regions", "registers", "sizes", "status_codes"]


def sizes():
    """Lanes and memories by core size."""
    return markdown(
        ("size", "lanes x ways", "products a cycle", "X memory", "Y memory", "passes"),
        [(size.name, f"{size.lanes} x {size.ways}", f"{size.products}",
          f"{size.x_bytes >> 10} KiB", f"{size.y_bytes >> 10} KiB", f"{size.passes}")
         for size in SIZES.values()])


def _meanings(kind):
    """Comments behind an Enum's members, by member name."""
    source = inspect.getsource(kind)
    return dict(re.findall(r"^    (\w+) *= \w+ *#: (.*(?:\n +#: .*)*)", source, re.MULTILINE))


def _members(kind, digits):
    """Enum rows: value, name, meaning."""
    meanings = _meanings(kind)
    for member in kind:
        meaning = re.sub(r"\n +#:", "", meanings.get(member.name, "")).replace("``", "`")
        yield f"`0x{member.value:0{digits}X}`", f"`{member.name}`", meaning.replace("|", "\\|")


_ACCESS = {"const": "constant", "r": "read", "w": "write", "rw": "read, write"}


def _bits(field):
    """A register field's bit range, name and meaning."""
    last  = field.offset + field.width - 1
    bits  = f"{last}:{field.offset}" if field.width > 1 else f"{field.offset}"
    codes = [f"`{field.codes.__name__}`"] if field.codes else []
    words = [f"`{field.name}`", *codes, *filter(None, [field.meaning])]
    return f"{bits} {words[0]}" + (f": {', '.join(words[1:])}" if words[1:] else "")


def registers():
    """The register map."""
    return markdown(
        ("offset", "register", "access", "reset", "meaning", "bits"),
        [(f"`0x{register.value:02X}`", f"`{register.name}`", _ACCESS[layout.access],
          f"`0x{layout.reset:X}`" if layout.reset or layout.access != "const" else "by size",
          layout.meaning, "; ".join(map(_bits, layout.fields)).replace("|", "\\|"))
         for register, layout in REGISTERS.items()])


def regions():
    """Register and memory address ranges."""
    return markdown(("offset", "region", "access", "contents"),
                    [(f"`0x{region.value:06X}`", f"`{region.name}`", _ACCESS[layout.access],
                      layout.meaning.replace("|", "\\|")) for region, layout in REGIONS.items()])


def operations():
    """Pass operations and reductions, each with its cores."""
    cores = {name: size.capabilities for name, size in CORES.items()}
    return markdown(("field", "code", "name", "effect", "feature", "named sizes"), [
        (f"`{'op' if isinstance(code, Op) else 'reduce'}`", f"{code.value}", f"`{code.name}`",
         operation.effect, f"`{operation.feature}`" if operation.feature else "",
         ", ".join(name for name, core in cores.items() if core.supports(code)))
        for code, operation in OPERATIONS.items()])


def status_codes():
    """Status codes with which a program ends."""
    return markdown(("code", "status", "meaning"), _members(Status, 1))


def _port_rows(component):
    for path, member, _ in component.signature.flatten(component):
        yield (f"`{'__'.join(path)}`",
               "in" if member.flow is wiring.In else "out",
               f"{Shape.cast(member.shape).width}")


def ports():
    """Ports in the exported Verilog."""
    rows = [("`clk`", "in", "1"), ("`rst`", "in", "1"), *_port_rows(CoreAxi(TINY))]
    return markdown(("port", "direction", "bits"), rows)


def _range(name):
    """Lowest and highest value in a pass field."""
    _, width, signed = pass_fields()[name]
    low = -(1 << width - 1) if signed else 0
    return low, (1 << width - signed) - 1


def limits():
    """Limits for a pass, a program and an element."""
    (_, count), (_, repeat) = _range("outer.0"), _range("repeat")
    stride, move = _range("x.agu.outer.0"), _range("advance.0")
    tables = ", ".join(f"{table.name} {len(samples.values)}" for table, samples in TABLES.items())
    return markdown(("quantity", "limit"), [
        ("loop counts of a pass (`outer`, `taps`)", f"1 to {count:,}"),
        ("strides of an access", f"{stride[0]:,} to {stride[1]:,} units"),
        ("pad, step and size of an axis", f"0 to {_range('rows.pad')[1]:,}"),
        ("shift of a sum", f"{SHIFT_MIN} to {SHIFT_MAX} bits, right positive"),
        ("accumulator", f"{ACC_BITS} bits"),
        ("element that a table looks up", f"{ELEMENT_BITS} bits"),
        ("`floor`", f"0 to {FLOOR_MAX}"),
        ("sums that a lane can hold", f"{HELD}"),
        ("passes that a loop of passes can go back", f"{BACK_MAX}"),
        ("times that it goes back", f"{repeat:,}"),
        ("moves of a base from one time to the next", f"{move[0]:,} to {move[1]:,} units"),
        ("entries of the tables", tables)])

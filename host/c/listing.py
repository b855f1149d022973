# SPDX-License-Identifier: Apache-2.0
"""Tables of a network as C text."""

import re
from functools import reduce
from operator import or_

import numpy as np

from xymac.hdl.config import find_size
from xymac.hdl.isa import REGISTERS, Program, Register

from .numbers import C_TYPES, list_array, spell_float, spell_int
from .sources import fill_in, read_part
from .steps import tabulate

__all__ = ["comment", "core_fields", "list_counts", "list_steps", "list_tables", "list_values"]


def comment(text):
    """An external name made safe for a comment or a string."""
    return re.sub(r"[^\w ./:;+-]", "_", str(text), flags=re.ASCII)


def list_tables(executable, name, prefix=""):
    """C definition for an Executable's ``xymac_network``, with all its tables.

    Parameters
    ----------
    name : str, network identifier
    prefix : str, table identifier prefix; the tables are static if it is not empty

    InputError for a network that the tables cannot express.
    """
    tables, config = tabulate(executable, prefix), find_size(executable.size)
    counts = (tables.values, tables.load, tables.run)
    return fill_in(read_part("tables.c"), list_values(tables, prefix) | {
        "PREFIX": prefix, "NAME": name, "LOAD": list_steps(tables.load),
        "RUN": list_steps(tables.run), "STORAGE": "static " if prefix else "",
        "TITLE": comment(executable.name), "COUNTS": list_counts(*counts),
        "CORE": core_fields(executable, config)})


def list_values(tables, prefix):
    """Definitions of a NetworkTables' arrays, and its value lines: ``{"ARRAYS": text, "VALUES":
    text}``.
    """
    lines, values = [], []
    for array, data in tables.arrays.items():
        lines += list_array("static const", "uint32_t" if data.dtype == np.uint32 else "int32_t",
                            array, data)
    for scale, (step, *numbers) in tables.scales.items():
        listed = ", ".join(map(spell_int, numbers))
        lines.append(f"static const xymac_scale {scale} = {{{spell_float(step)}, {listed}}};")
    for index, value in enumerate(tables.values):
        buffer = first = "NULL"
        if value.place == "BUFFER":
            buffer = f"{prefix}buffer{index}"
            lines.append(f"static {C_TYPES[value.type]} {buffer}[{value.count}];")
        if value.first is not None:
            first  = f"{prefix}first{index}"
            lines += list_array("static const", C_TYPES[value.type], first, value.first)
        values.append(f"    {{XYMAC_{value.type}, XYMAC_IN_{value.place}, {value.number}, "
                      f"{value.count}u, {buffer}, {first}}},")
    return {"ARRAYS": "\n".join(lines), "VALUES": "\n".join(values)}


def list_counts(*groups):
    """Lengths as C numbers."""
    return ", ".join(f"{len(each)}u" for each in groups)


def core_fields(executable, config):
    """``xymac_network`` fields that a core must match."""
    return (f"{config.ways}u, {config.passes}u, {config.x_rows}u, {config.y_rows}u, "
            f"XYMAC_ENGINE_{config.engine.name}, 0x{_needs(executable):X}u")


def _needs(executable):
    """FUNCTIONS register bits for all operations and reductions in the programs."""
    passes = [pass_ for data in executable.arrays.values() if isinstance(data, Program)
              for pass_ in data]
    return REGISTERS[Register.FUNCTIONS].pack(**{name: reduce(or_, (
        1 << code.value for code in codes), 0) for name, codes in (
            ("operations", {pass_.accumulate.op for pass_ in passes}),
            ("reductions", {pass_.reduction.reduce for pass_ in passes}),
            ("adjusts", {pass_.reduction.adjust for pass_ in passes}))})


def list_steps(steps):
    """Step lines; an uncounted dummy step if there are none, because C has no empty arrays."""
    return "\n".join(
        f"    {{XYMAC_STEP_{step.kind}, {step.value}, {step.to}, 0x{step.offset:X}u, "
        f"{step.count}u, {step.fill}, {'&' * step.is_scaled}{step.data or 'NULL'}}},"
        for step in steps) or "    {XYMAC_STEP_START, 0, 0, 0u, 0u, 0, NULL}"

# SPDX-License-Identifier: Apache-2.0
"""An executable as C: its tables, and a program running an example."""

import re
from functools import reduce
from math import prod
from operator import or_

import numpy as np

from xymac.hdl.config import find_size
from xymac.hdl.isa import REGISTERS, Program, Register

from .numbers import C_TYPES, list_array, spell_float, spell_int
from .sources import fill_in, read_part, read_source
from .steps import tabulate

__all__ = ["NETWORK_FILES", "c_name", "list_tables", "network_files"]

NETWORK_FILES = ("network.h", "network.c", "main.c")


def network_files(executable, inputs, outputs):
    """An Executable's C files: ``{name: text}``.

    Parameters
    ----------
    inputs, outputs : arrays, example inputs for ``main.c`` and their expected outputs

    InputError for a network that the tables cannot express.
    """
    prefix = c_name(executable)
    tables = list_tables(executable, prefix)
    ends   = list(_ends(executable))
    common = {"NAME": prefix, "GUARD": prefix.upper(), "TITLE": _comment(executable.name),
              "SIZE": executable.size}
    parts  = (_header(prefix, ends), {"TABLES": tables},
              _main(prefix, ends, {"input": inputs, "output": outputs}))
    return {name: fill_in(read_source(name), common | part)
            for name, part in zip(NETWORK_FILES, parts, strict=True)}


def c_name(executable):
    """An Executable's C identifier, and prefix for its other identifiers."""
    name = re.sub(r"\W", "_", executable.name, flags=re.ASCII).lower()
    return f"net_{name}" if not re.match(r"[a-z]", name) or name.startswith("xymac") else name


def _comment(text):
    """An external name made safe for a comment or a string."""
    return re.sub(r"[^\w ./:;+-]", "_", str(text), flags=re.ASCII)


def _ends(executable):
    """Inputs and outputs: (kind, number, name, C type, blank golden Array)."""
    types = {"float32": "float"}
    ends  = {"input": list(zip(executable.input_names, executable.inputs, strict=True)),
             "output": [(name, executable.values[number]) for name, number in zip(
                 executable.output_names, executable.outputs, strict=True)]}
    for kind, each in ends.items():
        for number, (name, value) in enumerate(each):
            element = value.data.dtype.name
            yield kind, number, _comment(name), types.get(element, f"{element}_t"), value


def _describe(value):
    """A value's shape and quantisation as text."""
    shape = " x ".join(map(str, value.shape)) or "1"
    kind  = getattr(value, "quantisation", None)
    if kind is not None:
        return f"{shape}, {kind.scale:.9g} * (element - {kind.zero_point})"
    if hasattr(value, "frac_bits"):
        return f"{shape}, {value.frac_bits} fractional bits"
    return shape


def _count(prefix, kind, number):
    """Macro name for an input's or output's element count."""
    return f"{prefix.upper()}_{kind.upper()}{number}_COUNT"


def _header(prefix, ends):
    """``network.h`` template values for inputs and outputs."""
    return {
        "ENDS": "\n".join(f" *   {kind} {number}, {name}: {c_type}, {_describe(value)}"
                          for kind, number, name, c_type, value in ends),
        "COUNTS": "\n".join(f"#define {_count(prefix, kind, number)} {prod(value.shape)}u"
                            for kind, number, _, _, value in ends),
        "PARAMETERS": ", ".join(f"{'const ' * (kind == 'input')}{c_type} *{kind}{number}"
                                for kind, number, _, c_type, _ in ends),
        **{f"{which.upper()}S": ", ".join(f"{kind}{number}" for kind, number, *_ in ends
                                          if kind == which) for which in ("input", "output")}}


def list_tables(executable, name, prefix=""):
    """C definition for an Executable's ``xymac_network``, with all its tables.

    Parameters
    ----------
    name : str, network identifier
    prefix : str, table identifier prefix; the tables are static if it is not empty

    InputError for a network that the tables cannot express.
    """
    tables, config = tabulate(executable, prefix), find_size(executable.size)
    lines, values  = [], []
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
    counts = (tables.values, tables.load, tables.run)
    return fill_in(read_part("tables.c"), {
        "ARRAYS": "\n".join(lines), "VALUES": "\n".join(values), "PREFIX": prefix, "NAME": name,
        "LOAD": _list_steps(tables.load), "RUN": _list_steps(tables.run),
        "STORAGE": "static " if prefix else "", "TITLE": _comment(executable.name),
        "COUNTS": ", ".join(f"{len(each)}u" for each in counts),
        "CORE": (f"{config.ways}u, {config.passes}u, {config.x_rows}u, {config.y_rows}u, "
                 f"XYMAC_ENGINE_{config.engine.name}, 0x{_needs(executable):X}u")})


def _needs(executable):
    """FUNCTIONS register bits for all operations and reductions in the programs."""
    passes = [pass_ for data in executable.arrays.values() if isinstance(data, Program)
              for pass_ in data]
    return REGISTERS[Register.FUNCTIONS].pack(**{name: reduce(or_, (
        1 << code.value for code in codes), 0) for name, codes in (
            ("operations", {pass_.accumulate.op for pass_ in passes}),
            ("reductions", {pass_.reduction.reduce for pass_ in passes}),
            ("adjusts", {pass_.reduction.adjust for pass_ in passes}))})


def _list_steps(steps):
    """Step lines; an uncounted dummy step if there are none, because C has no empty arrays."""
    return "\n".join(
        f"    {{XYMAC_STEP_{step.kind}, {step.value}, {step.to}, 0x{step.offset:X}u, "
        f"{step.count}u, {step.fill}, {'&' * step.is_scaled}{step.data or 'NULL'}}},"
        for step in steps) or "    {XYMAC_STEP_START, 0, 0, 0u, 0u, 0, NULL}"


def _main(prefix, ends, data):
    """``main.c`` template values for an example."""
    example, checks = [], []
    for kind, number, name, c_type, _ in ends:
        array = "input" if kind == "input" else "expected"
        example += list_array("static const", c_type, f"{array}{number}", data[kind][number])
        if kind == "output":
            count = _count(prefix, kind, number)
            example.append(f"static {c_type} output{number}[{count}];")
            checks.append(f'    differ |= compare_{c_type}("{name}", output{number}, '
                          f"expected{number}, {count});")
    types = sorted({c_type for kind, _, _, c_type, _ in ends if kind == "output"})
    return {"EXAMPLE": "\n".join(example), "CHECKS": "\n".join(checks),
            "ARGUMENTS": ", ".join(f"{kind}{number}" for kind, number, *_ in ends),
            "COMPARE": "\n".join(fill_in(read_part("compare.c"), {
                "TYPE": each, "FORMAT": "%.9g" if each == "float" else "%ld",
                "CAST": "double" if each == "float" else "long"}) for each in types)}

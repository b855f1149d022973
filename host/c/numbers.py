# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays in C syntax."""

from math import inf

import numpy as np

__all__ = ["C_TYPES", "list_array", "spell_float", "spell_int"]

C_TYPES = {"INT8": "int8_t", "UINT8": "uint8_t", "INT16": "int16_t", "INT32": "int32_t",
           "FLOAT": "float"}  #: C types by the element types of ``xymac_network.h``.
_WIDTH  = 96  # columns of a number line


def list_array(qualifiers, c_type, name, data):
    """C array definition lines with the ``data`` elements."""
    data  = np.ravel(data)
    spell = (spell_float if data.dtype.kind == "f" else
             _spell_word if c_type == "uint32_t" else spell_int)
    lines, line = [], "   "
    for number in map(spell, data.tolist()):
        if len(line) + len(number) > _WIDTH:
            lines.append(line)
            line = "   "
        line += f" {number},"
    return [f"{qualifiers} {c_type} {name}[{data.size}] = {{", *lines, line, "};"]


def _spell_word(number):
    return f"0x{number:X}u"


def spell_int(number):
    """A 32-bit int."""
    return "(-2147483647 - 1)" if number == -1 << 31 else str(number)


def spell_float(number):
    """A float32 literal that reads back exactly."""
    if number in (inf, -inf):
        return f"({'-' * (number < 0)}1.0f / 0.0f)"
    text = f"{number:.9g}"
    return f"{text if '.' in text or 'e' in text else text + '.0'}f"

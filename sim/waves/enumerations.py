# SPDX-License-Identifier: Apache-2.0
"""Signal value names, from the attributes in Amaranth's Verilog."""

import re

__all__ = ["read_enumerations"]

_MODULE = re.compile(r"module \\?top(?:\.(\S+))? ?\(")
_VALUE  = re.compile(r'\s*\(\* enum_value_([01]+) = "(\w+)" \*\)')
_SIGNAL = re.compile(r"\s*(?:input|output|inout|wire|reg)\b(?: (?:wire|reg))?(?: \[\d+:\d+\])? "
                     r"\\?([^\s;=]+)")
_OTHER  = re.compile(r"\s*\(\*")


def read_enumerations(text):
    """Enumerations in Verilog for a component named ``top``: a dict {path: {value: name}}.

    A path is a string, the modules below ``top`` and the signal, joined by "/".
    """
    found, module, values = {}, "", {}
    for line in text.splitlines():
        if match := _VALUE.match(line):
            values[int(match[1], 2)] = match[2]
        elif _OTHER.match(line):
            continue
        elif match := _MODULE.match(line):
            module, values = match[1] or "", {}
        else:
            if values and (match := _SIGNAL.match(line)):
                found["/".join([*module.split("."), match[1]] if module else [match[1]])] = values
            values = {}
    return found

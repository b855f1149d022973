# SPDX-License-Identifier: Apache-2.0
"""Designs as RTLIL, which yosys reads in half the time of Verilog."""

import re

from amaranth.back import rtlil

from xymac.hdl.elaboration import quick_elaboration

__all__ = ["blocks_of", "plain_name", "relaxed", "rtlil_of"]

_NUMBER = re.compile(r"\$\d+")
_MODULE = "\nmodule "
_FREE   = re.compile(r"attribute \\no_rw_check 1\n\s*memory .*\\(\S+)\n")
_PORT   = re.compile(r'(\\MEMID "\\\\(\S+)"\n(?:\s*parameter .*\n)*?\s*parameter '
                     r"\\COLLISION_X_MASK \d+')([01]+)")


@quick_elaboration()
def rtlil_of(design, top, **ports):
    """RTLIL for ``design`` with top module ``top``; ``ports`` are passed to Amaranth."""
    return relaxed(rtlil.convert(design, name=top, emit_src=False, **ports))


def relaxed(source):
    """Mark reads from memories with attribute no_rw_check: they never collide with a write.

    yosys honours the attribute only in Verilog; without it block RAM gets collision logic.
    """
    def module(text):
        free = set(_FREE.findall(text))
        return _PORT.sub(lambda port: port[1] + "1" * len(port[3]) if port[2] in free else port[0],
                         text)

    return _MODULE.join(map(module, source.split(_MODULE)))


def blocks_of(source, top):
    """Module paths below ``top`` in RTLIL from Amaranth: {"array", "array.lane_0"}."""
    names = re.findall(rf"^module \\{re.escape(top)}\.(\S+)", source, re.MULTILINE)
    return frozenset(map(plain_name, names))


def plain_name(name):
    """Hierarchical name without the numbers that Amaranth adds to duplicate names."""
    return _NUMBER.sub("", name)

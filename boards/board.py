# SPDX-License-Identifier: Apache-2.0
"""A board, and the complete design in its FPGA: clock, host link, core, lamps."""

from collections.abc import Callable
from dataclasses import dataclass

from amaranth import ClockDomain, Elaboratable, Module, Signal
from amaranth.lib import io, wiring
from amaranth.vendor import LatticeICE40Platform

from xymac.boards.clock.ecp5 import Clock
from xymac.boards.clock.ice40 import Ice40Clock
from xymac.hdl.compact.core import Compact
from xymac.hdl.config import find_size
from xymac.hdl.core.core import Core
from xymac.hdl.isa import State
from xymac.hdl.link.link import Link
from xymac.host.errors import InputError, suggest
from xymac.host.extensions import list_extensions, load_extension

__all__ = ["Board", "Top", "all_boards", "find_board"]

GROUP  = "xymac.boards"  #: Entry points of boards.
_SHOWN = 22              # a lamp stays on for 2 ** this cycles: a program is too short to be seen


@dataclass(frozen=True)
class Board:
    """A board with an ECP5 or an iCE40, and the default core size.

    Parameters
    ----------
    name : str, name on the command line
    size : str, see ``find_size``
    platform : function without arguments that returns a platform, see amaranth-boards
    clock : float, core clock, MHz, from a PLL on the board's default clock
    aim : float, place and route target clock, MHz, higher than ``clock``
    baud : int, UART rate, bits per second
    uart, reset, run, fault : resource paths, such as ("led", 0) or ("rgb_led", 0, "g"): UART, reset
        button, lamp for a running program, lamp for a failed program
    load : str, the board's name in openFPGALoader
    sram : bool, whether openFPGALoader writes to the FPGA's SRAM under this name, and with
        ``--write-flash`` to the flash; else it always writes to the flash
    before : str, what a user does before a load, as the start of a sentence; empty for nothing
    usb : tuple, the serial port's USB vendor number, product number and part of its product name;
        empty for a board without its own port
    own_usb : tuple, vendor and product numbers, a pair each, of a USB socket that is not this
        design's UART
    """

    name:     str
    size:     str
    platform: Callable
    clock:    float
    aim:      float
    baud:     int
    uart:     tuple
    reset:    tuple
    run:      tuple
    fault:    tuple
    load:     str
    sram:     bool = True
    before:   str = ""
    usb:      tuple = ()
    own_usb:  tuple = ()

    def has_port(self, port):
        """Whether a serial port, a pyserial ``ListPortInfo``, has the board's USB identity."""
        if not self.usb:
            return False
        vendor, product, name = self.usb
        described = f"{port.product or ''} {port.description or ''}"
        return (port.vid, port.pid) == (vendor, product) and name in described

    def has_own_usb(self, port):
        """Whether a serial port, a ``ListPortInfo``, is the board's USB socket, not its UART."""
        return (port.vid, port.pid) in self.own_usb

    @property
    def divisor(self):
        """Cycles per UART bit; InputError if the rate deviates from ``baud`` by 1 % or more."""
        divisor = round(1e6 * self.clock / self.baud)
        if abs(1e6 * self.clock / divisor / self.baud - 1) >= 0.01:
            raise InputError(f"No whole number of cycles at {self.clock:g} MHz makes {self.baud} "
                             f"baud of {self.name} within 1 %")
        return divisor


def all_boards():
    """Entry points ``xymac.boards`` by name; nothing is loaded."""
    return list_extensions(GROUP)


def find_board(name):
    """The Board ``name``; InputError that lists all boards if it is unknown or broken."""
    boards = all_boards()
    if name not in boards:
        raise InputError(f"Board must be one of {', '.join(boards)}, not {name!r}"
                         f"{suggest(name, boards)}")
    return load_extension(boards[name], _check_board)


def _check_board(value):
    if not isinstance(value, Board):
        raise TypeError(f"it must be a Board, not {value!r}")


class Top(Elaboratable):
    """The complete design in a board's FPGA; its ports are pads.

    Power-up or the button resets all registers, see ``Clock``. The run lamp is on while a program
    runs, for a visible minimum time; the fault lamp is on from a fault until the next start.

    Parameters
    ----------
    board : Board
    config : CoreConfig
    """

    def __init__(self, board, config=None):
        self._board, self._config = board, config or find_size(board.size)

    def elaborate(self, platform):
        m = Module()
        board = self._board
        pads, clock = _Pads(platform), (platform.default_clk, 0)
        rates = {"source": platform.default_clk_frequency / 1e6, "target": board.clock,
                 "aim": board.aim}
        if isinstance(platform, LatticeICE40Platform):
            m.domains.sync = ClockDomain()
            m.submodules.clock = clock = Ice40Clock(pads[clock], **rates)
            core, inputs = Compact(self._config, vendor="ice40"), []
        else:
            m.domains.sync = ClockDomain(async_reset=True)
            path = clock
            m.submodules.clock = clock = Clock(**rates)
            core, inputs = Core(self._config, vendor="ecp5"), [(path, clock.source)]
        m.submodules.link = link = Link(divisor=board.divisor)
        m.submodules.core = core
        wiring.connect(m, link.request, core.request)
        wiring.connect(m, core.response, link.response)
        run, fault = self._lamps(m, core.state)
        for path, signal in (*inputs, (board.reset, clock.button), ((*board.uart, "rx"), link.rx)):
            m.submodules += (pad := io.Buffer("i", pads[path]))
            m.d.comb += signal.eq(pad.i)
        for path, signal in (((*board.uart, "tx"), link.tx), (board.run, run),
                             (board.fault, fault)):
            m.submodules += (pad := io.Buffer("o", pads[path]))
            m.d.comb += pad.o.eq(signal)
        return m

    @staticmethod
    def _lamps(m, state):
        run, fault, left = Signal(), Signal(), Signal(_SHOWN)
        m.d.sync += run.eq(left != 0)
        with m.If(state == State.BUSY):
            m.d.sync += [left.eq(-1), fault.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(state == State.FAULT):
            m.d.sync += fault.eq(1)
        return run, fault


class _Pads(dict):
    """Ports by resource path; a resource's parts have their own paths."""

    def __init__(self, platform):
        super().__init__()
        self._platform = platform

    def __missing__(self, path):
        name, number, *parts = path
        if parts:
            self[path] = getattr(self[name, number], parts[0])
        else:
            self[path] = self._platform.request(name, number, dir="-")
        return self[path]

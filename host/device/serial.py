# SPDX-License-Identifier: Apache-2.0
"""A core on a board as a device, over a serial port."""

from __future__ import annotations

import errno
import termios
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import serial

from xymac.hdl.capabilities import Capabilities
from xymac.hdl.config import CORES, TINY, change_size
from xymac.hdl.isa import REGISTERS, Control, Op, Reduce, Region, Register, State
from xymac.hdl.link.frames import WINDOW, WORDS_MAX
from xymac.host.errors import InputError
from xymac.host.plural import plural

from .device import MAX_CYCLES
from .link import BoardError, Link
from .registers import RegisterDevice

if TYPE_CHECKING:
    from collections.abc import Callable

    from serial.serialposix import Serial

    from xymac.hdl.config import CoreConfig
    from xymac.host.device.link import Port

    from .device import RunResult

__all__ = ["BAUD", "PATIENCE", "SerialDevice", "answer_time", "find_config", "identify",
           "open_port"]

BAUD     = 2_000_000  #: Default baud rate, bits per second.
PATIENCE = 60.0       #: Time limit of a program, s.

_LATENCY    = 0.2  # delay of an answer by adapter, operating system and board, s
_BYTE_BITS  = 10   # with start and stop bit
_FRAME_MAX  = 4 * WORDS_MAX + 16  # bytes
_SIZES      = {"ways": ("way",), "passes": ("pass", "passes"), "x_rows": ("X row",),
               "y_rows": ("Y row",)}
_REASONS    = {
    **dict.fromkeys((errno.ENOENT, errno.ENODEV, errno.ENXIO),
                    "There is no serial port {port}: `xymac ports` lists the serial ports"),
    **dict.fromkeys((errno.EACCES, errno.EPERM),
                    "Serial port {port} may not be opened by this user: permission "
                    "denied, which `sudo usermod -aG dialout $USER` and a new login change"),
    **dict.fromkeys((errno.EBUSY, errno.EAGAIN),
                    "Serial port {port} is in use by another program"),
    errno.EISDIR: "{port} is no serial port but a folder",
    errno.ENOTTY: "{port} is no serial port"}


def answer_time(baud: int) -> float:
    """Answer timeout at ``baud`` bits per second, s, behind a full window that is sent twice."""
    return _LATENCY + 2 * WINDOW * _FRAME_MAX * _BYTE_BITS / baud


def open_port(name: str, baud: int = BAUD) -> Serial:
    """Open a serial port exclusively; InputError with a single sentence on failure."""
    if baud < 1:
        raise InputError(f"Baud rate must be at least 1 bit a second, not {baud!r}")
    try:
        return serial.Serial(name, baud, exclusive=True)
    except (OSError, ValueError, OverflowError) as error:
        reason = _REASONS.get(_code(error),
                              "Serial port {port} cannot be opened at {baud} baud: {error}")
        raise InputError(reason.format(port=name, baud=baud, error=error)) from error


def _code(error):
    """Error number; pyserial's errors about settings have none, but the termios.error has."""
    cause = error.__context__
    return getattr(error, "errno", None) or (
        cause.args[0] if isinstance(cause, termios.error) else 0)


class SerialDevice(RegisterDevice):
    """A board's core, over the host link.

    Parameters
    ----------
    config : CoreConfig, the board's core
    port : str, as for ``open_port``; or an open port, see ``Link``
    baud : int, the board's baud rate, bits per second
    patience : float, program time limit, s; BoardError after that
    clock : function without arguments, seconds

    InputError if the port cannot be opened, or the board's core differs from ``config``; LinkError
    if the board does not answer; BoardError if its core is running a program.
    """

    exclusive = True

    def __init__(self, config: CoreConfig, port: str | Port, baud: int = BAUD, *,
                 patience: float = PATIENCE, clock: Callable = time.monotonic) -> None:
        super().__init__(config)
        self._patience, self._clock = patience, clock
        opened = open_port(port, baud) if isinstance(port, str) else port
        self._port = opened.name
        try:
            self._link = Link(opened, timeout=answer_time(baud), clock=clock)
            self._check_core()
            self._make_ready()
        except BaseException:
            opened.close()
            raise

    def run(self, first: int = 0, max_cycles: int = MAX_CYCLES) -> RunResult:
        self._make_ready()
        begin = self._clock()
        self.start(first)
        while self._state() is State.BUSY:
            if self._clock() - begin > self._patience:
                self.stop()
                self._make_ready()
                raise BoardError(f"The program did not end within {self._patience:g} s and was "
                                 f"stopped")
        result = self.finish(first)
        if result.counters["cycles"] > max_cycles:
            raise BoardError(f"The program did not end within {max_cycles} cycles")
        return result

    def close(self) -> None:
        self._link.close()

    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        self._link.write(address, words, first_mask, last_mask)

    def _read_words(self, address, count):
        return self._link.read(address, count)

    def _state(self):
        [word] = self._read_registers(Register.STATUS, 1)
        return State(REGISTERS[Register.STATUS].unpack(word)["state"])

    def _make_ready(self):
        """Stop an earlier program and clear its result; BoardError if it continues."""
        state = self._state()
        if state is State.BUSY:
            self.stop()
            state = self._state()
        if state is State.BUSY:
            raise BoardError(f"The core on {self._port} still executes an earlier program: "
                              f"reset the board")
        if state is not State.IDLE:
            self._write_register(Register.CONTROL, Control.CLEAR.value)

    def _check_core(self):
        """Raise InputError unless the board's core matches the configuration."""
        wanted, core = self.config.capabilities, identify(self._link)
        if _geometry(core) != _geometry(wanted):
            raise InputError(f"The core on {self._port} has {_list_sizes(core)}, size "
                             f"{self.config.name} has {_list_sizes(wanted)}")
        if core.engine is not wanted.engine:
            raise InputError(f"The core on {self._port} has the engine {core.engine.name}, size "
                             f"{self.config.name} has the engine {wanted.engine.name}")
        if lacking := core.lacking(wanted):
            raise InputError(f"The core on {self._port} lacks {', '.join(map(str, lacking))}, "
                             f"which size {self.config.name} has")


def identify(link: Link) -> Capabilities:
    """Capabilities of the core over a Link; InputError without a core of this ``VERSION``."""
    words = {}
    for register, layout in REGISTERS.items():
        if layout.access == "const":
            [word] = link.read(Region.REGISTERS.value + register.value, 1).tolist()
            words[register.value] = word
            if layout.reset not in (0, word):
                raise InputError(f"The core on {link.name} has {register.name.lower()} {word:#x}, "
                                 f"not {layout.reset:#x}")
    try:
        return Capabilities.read(words)
    except ValueError as error:
        raise InputError(f"The core on {link.name} has {error}") from error


def _config_of(core):
    """CoreConfig for the Capabilities ``core``, or None for an unknown size.

    A core does not identify its slots: a named size has its own number, other cores count as 2.
    Results do not depend on slots.
    """
    named = next((config for config in CORES.values() if config.capabilities == core), None)
    if named is not None or core.engine is not TINY.engine:
        return named
    features = {"heap": core.supports(Reduce.RANK), "extremes": core.supports(Reduce.RANGE),
                "window": core.supports(Op.SLIDE), "comparison": core.supports(Op.MAX)}
    with suppress(ValueError):
        config = change_size(TINY, **_geometry(core), **features)
        return config if config.capabilities == core else None
    return None


def _geometry(core):
    """Sizes of the Capabilities ``core`` by name."""
    return {name: getattr(core, name) for name in _SIZES}


def find_config(port: str | Port, baud: int = BAUD, *,
                clock: Callable = time.monotonic) -> CoreConfig:
    """CoreConfig for a board's core; see ``SerialDevice``.

    The port is closed again. InputError for an unknown size.
    """
    opened = open_port(port, baud) if isinstance(port, str) else port
    try:
        core = identify(Link(opened, timeout=answer_time(baud), clock=clock))
    finally:
        opened.close()
    config = _config_of(core)
    if config is None:
        raise InputError(f"The core on {opened.name} has {_list_sizes(core)}, which is no size "
                         f"that there is")
    return config


def _list_sizes(core):
    return ", ".join(plural(value, *_SIZES[name]) for name, value in _geometry(core).items())

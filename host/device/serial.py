"""A core on a board as a device, over a serial port."""

import errno
import time
from contextlib import suppress
from dataclasses import dataclass

import serial

from hdl.config import CORES, TINY, change_size
from hdl.isa import IDENTITY, VERSION, Control, Dialect, Engine, Region, Register, State
from hdl.link.frames import WINDOW, WORDS_MAX
from host.errors import InputError

from .device import MAX_CYCLES
from .link import BoardError, Link
from .registers import RegisterDevice

__all__ = ["BAUD", "PATIENCE", "SerialDevice", "answer_time", "find_config",
           "open_port"]

BAUD     = 2_000_000  #: Bits a second of a port that is not told another rate.
PATIENCE = 60.0       #: Seconds that a program may run.

_LATENCY    = 0.2  # seconds that adapter, operating system and board may add to an answer
_BYTE_BITS  = 10   # with start and stop bit
_FRAME_MAX  = 4 * WORDS_MAX + 16  # bytes
_STATE_MASK = 0xF
_ENGINE_AT  = 8   # bits of the dialects before it
_REASONS    = {
    **dict.fromkeys((errno.ENOENT, errno.ENODEV, errno.ENXIO),
                    "There is no serial port {port}: `xymac ports` lists those there are"),
    **dict.fromkeys((errno.EACCES, errno.EPERM),
                    "Serial port {port} may not be opened by this user: permission denied"),
    **dict.fromkeys((errno.EBUSY, errno.EAGAIN),
                    "Serial port {port} is in use by another program")}


def answer_time(baud):
    """Seconds to wait for an answer at ``baud`` bits a second, when all requests that may be under
    way, sent twice, are still in front of it."""
    return _LATENCY + 2 * WINDOW * _FRAME_MAX * _BYTE_BITS / baud


def open_port(name, baud=BAUD):
    """Open a serial port for this program alone; InputError in one sentence if that fails."""
    if baud < 1:
        raise InputError(f"Baud rate must be at least 1 bit a second, not {baud!r}")
    try:
        return serial.Serial(name, baud, exclusive=True)
    except (OSError, ValueError) as error:
        reason = _REASONS.get(getattr(error, "errno", None),
                              "Serial port {port} cannot be opened at {baud} baud: {error}")
        raise InputError(reason.format(port=name, baud=baud, error=error)) from error


class SerialDevice(RegisterDevice):
    """The core of a board, over the host link.

    Parameters
    ----------
    config : CoreConfig, of the core on the board
    port : str, as ``open_port`` takes it; or a port that is open, see ``Link``
    baud : int, bits a second, those of the board
    patience : float, seconds that a program may run; BoardError after that
    clock : function without arguments, seconds

    InputError if the port cannot be opened, or the board has another core than ``config``;
    LinkError if it does not answer; BoardError if its core runs a program already.
    """

    exclusive = True

    def __init__(self, config, port, baud=BAUD, *, patience=PATIENCE, clock=time.monotonic):
        super().__init__(config)
        self._patience, self._clock = patience, clock
        port = open_port(port, baud) if isinstance(port, str) else port
        self._port = port.name
        try:
            self._link = Link(port, timeout=answer_time(baud), clock=clock)
            self._check_core()
            self._make_ready()
        except BaseException:
            port.close()
            raise

    def run(self, first=0, max_cycles=MAX_CYCLES):
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

    def close(self):
        self._link.close()

    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        self._link.write(address, words, first_mask, last_mask)

    def _read_words(self, address, count):
        return self._link.read(address, count)

    def _state(self):
        return State(self._read_registers(Register.STATUS, 1)[0] & _STATE_MASK)

    def _make_ready(self):
        """Stop an earlier program and clear what it left; BoardError if it runs on."""
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
        """Raise InputError unless the board has the core of the configuration."""
        config = self.config
        core   = _Core.on(self._link)
        if core.geometry != _geometry(config):
            raise InputError(f"The core on {self._port} has {_list_sizes(core.geometry)}, size "
                             f"{config.name} has {_list_sizes(_geometry(config))}")
        if core.engine is not config.engine:
            raise InputError(f"The core on {self._port} has the engine {core.engine.name}, size "
                             f"{config.name} has the engine {config.engine.name}")
        if lacking := [dialect.name for dialect in Dialect if not dialect.value & core.dialects]:
            known = [dialect.name for dialect in Dialect if dialect.value & core.dialects]
            raise InputError(f"The core on {self._port} executes {', '.join(known) or 'nothing'}, "
                             f"but not {', '.join(lacking)}")


@dataclass(frozen=True)
class _Core:
    """What a core says of itself: see ``_geometry``, what runs, and the bits of ``Dialect``."""

    geometry: dict
    engine:   Engine
    dialects: int

    @classmethod
    def on(cls, link):
        """That of the core over a Link; InputError if it is none, or one of another version."""
        identity, version, geometry, depth = link.read(
            Region.REGISTERS.value + Register.IDENTITY.value, 4).tolist()
        for what, value, wanted in (("identity", identity, IDENTITY),
                                    ("version", version, VERSION)):
            if value != wanted:
                raise InputError(f"The core on {link.name} has {what} {value:#x}, not {wanted:#x}")
        (dialects,) = link.read(Region.REGISTERS.value + Register.DIALECTS.value, 1).tolist()
        engine = dialects >> _ENGINE_AT & 0xFF
        if engine not in {known.value for known in Engine}:
            raise InputError(f"The core on {link.name} has the engine {engine}, which is none of "
                             f"{', '.join(f'{known.value} ({known.name})' for known in Engine)}")
        return cls({"ways": geometry & 0xFF, "passes": geometry >> 8, "X rows": depth & 0xFFFF,
                    "Y rows": depth >> 16}, Engine(engine), dialects & (1 << _ENGINE_AT) - 1)

    @property
    def config(self):
        """The CoreConfig that it has, or None if there is no such size.

        A core says nothing of its slots, which are those of a size with a name if one has its
        geometry, else 2: results do not depend on them.
        """
        named = next((config for config in CORES.values() if config.engine is self.engine
                      and _geometry(config) == self.geometry), None)
        if named is not None or self.engine is not TINY.engine:
            return named
        with suppress(ValueError):
            return change_size(TINY, ways=self.geometry["ways"], passes=self.geometry["passes"],
                               x_rows=self.geometry["X rows"], y_rows=self.geometry["Y rows"])
        return None


def _geometry(config):
    return {"ways": config.ways, "passes": config.passes, "X rows": config.x_rows,
            "Y rows": config.y_rows}


def find_config(port, baud=BAUD, *, clock=time.monotonic):
    """The CoreConfig that the core of a board has; see ``SerialDevice``.

    The port is closed again. InputError if there is no such size.
    """
    port = open_port(port, baud) if isinstance(port, str) else port
    try:
        core = _Core.on(Link(port, timeout=answer_time(baud), clock=clock))
    finally:
        port.close()
    if core.config is None:
        raise InputError(f"The core on {port.name} has {_list_sizes(core.geometry)}, which is no "
                         f"size that there is")
    return core.config


def _list_sizes(sizes):
    return ", ".join(f"{value} {name}" for name, value in sizes.items())

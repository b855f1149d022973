# SPDX-License-Identifier: Apache-2.0
"""Waveform options, and the files that a run writes for them."""

from contextlib import contextmanager
from pathlib import Path

from xymac.host.device.waves import FORMATS, Waves
from xymac.host.errors import InputError
from xymac.host.files import write_whole

from .command import natural, positive

__all__ = ["add_waves", "check_waves", "open_waves"]

_CLOCK  = 100.0  # MHz, unless --clock or --board says another
_SINGLE = ("from", "cycles", "depth")


def add_waves(parser):
    """Add ``--waves`` and its window options."""
    parser.add_argument("--waves", metavar="F", type=Path,
                        help="write the waveforms of the simulation to this file, .fst or .vcd, "
                             "and beside it a save file of GTKWave, .gtkw, and a state of Surfer, "
                             ".surf.ron (backend rtl; use --limit 1). A cycle takes 10 ns, or as "
                             "--clock says")
    parser.add_argument("--from", metavar="N", type=natural, dest="waves_from",
                        help="first cycle of the waveforms, from the reset on (default: 0)")
    parser.add_argument("--cycles", metavar="N", type=positive, dest="waves_cycles",
                        help="cycles of the waveforms (default: all)")
    parser.add_argument("--depth", metavar="N", type=positive, dest="waves_depth",
                        help="levels of blocks in the waveforms, 1 for the core without its blocks "
                             "(default: all)")


def check_waves(options):
    """Raise InputError for incompatible options."""
    if options.waves is None:
        for name in _SINGLE:
            if getattr(options, f"waves_{name}") is not None:
                raise InputError(f"--{name} needs --waves")
        return
    if options.backend != "rtl":
        raise InputError(f"Waveforms need the backend rtl, not {options.backend}")
    if options.waves.suffix.lower() not in {f".{name}" for name in FORMATS}:
        raise InputError(f"Waveforms go to a file with the suffix "
                         f"{' or '.join(f'.{name}' for name in FORMATS)}, not {options.waves}")


@contextmanager
def open_waves(options):
    """Context with the Waves requested by ``options``; all their files appear at its end."""
    path   = options.waves
    clock  = getattr(options, "clock", None)
    period = round(1e6 / (clock.mhz if clock else _CLOCK))
    with (write_whole(path) as target, write_whole(path.with_suffix(".gtkw")) as save,
          write_whole(path.with_suffix(".surf.ron")) as state):
        yield Waves(path=target, format=path.suffix.lower()[1:], first=options.waves_from or 0,
                    cycles=options.waves_cycles, depth=options.waves_depth, period=period,
                    save=save, state=state, shown=path.resolve())

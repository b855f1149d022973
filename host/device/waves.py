# SPDX-License-Identifier: Apache-2.0
"""The waveforms that a simulated device shall write."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["FORMATS", "Waves"]

#: Waveform formats, which are also their file suffixes.
FORMATS = ("fst", "vcd")


@dataclass(frozen=True)
class Waves:
    """Waveforms to write.

    Parameters
    ----------
    path : Path, file to write
    format : str, in ``FORMATS``
    first : int, first cycle to write, counted from the simulation start
    cycles : int, cycle count to write, None for all
    depth : int, block levels to write, 1 for the core without its blocks, None for all
    period : int, picoseconds per cycle
    save, state : Path or None, files for GTKWave and for Surfer showing the main signals of
        ``shown``, the path under which these programs find the waveforms
    """

    path:   Path
    format: str = "vcd"
    first:  int = 0
    cycles: int | None = None
    depth:  int | None = None
    period: int = 10_000
    save:   Path | None = None
    state:  Path | None = None
    shown:  Path | None = None

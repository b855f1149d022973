# SPDX-License-Identifier: Apache-2.0
"""Every hardware property proved by ``make formal``."""

from . import (
    arithmetic,
    bursts,
    buses,
    checksum,
    lanes,
    masters,
    outputs,
    programs,
    queues,
    rescale,
    transfers,
    waits,
    windows,
    words,
)

__all__ = ["PROPERTIES"]

_PARTS = (arithmetic, lanes, outputs, rescale, queues, buses, bursts, checksum, windows, words,
          programs, masters, transfers, waits)
#: Every property by name.
PROPERTIES = {property_.name: property_ for part in _PARTS for property_ in part.PROPERTIES}

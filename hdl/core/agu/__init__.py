# SPDX-License-Identifier: Apache-2.0
"""Addresses of X and Y: tap loops, and the mapping of an address into its window.

``agu`` joins ``taps`` and ``mapping``; the write-back uses ``mapping`` for the addresses of Z.
"""

from .agu import Agu, Job, Tap
from .mapping import AddressMap, MapConfig, map_config

__all__ = ["AddressMap", "Agu", "Job", "MapConfig", "Tap", "map_config"]

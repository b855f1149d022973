"""Addresses of X and Y: the loops of the taps, and the map of an address into its window.

``agu`` joins the parts ``taps`` and ``mapping``; the write-back maps the addresses of Z as well.
"""

from .agu import Agu, AguConfig, Job, Tap
from .mapping import AddressMap, MapConfig, map_config

__all__ = ["AddressMap", "Agu", "AguConfig", "Job", "MapConfig", "Tap", "map_config"]

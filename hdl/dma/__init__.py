# SPDX-License-Identifier: Apache-2.0
"""DMA: a core that runs command lists out of external memory."""

from .axi import CoreDma
from .core import DmaCore

__all__ = ["CoreDma", "DmaCore"]

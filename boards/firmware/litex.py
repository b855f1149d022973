# SPDX-License-Identifier: Apache-2.0
"""LiteX's own files for programs on VexRiscv."""

import importlib.util
from pathlib import Path

__all__ = ["HEADERS", "START", "litex_folder"]

START   = "cores/cpu/vexriscv/crt0.S"                    #: Start-up code.
HEADERS = ("software/include", "cores/cpu/vexriscv")  #: Folders of C headers.


def litex_folder():
    """LiteX's source folder for systems; START and HEADERS are in it."""
    (package,) = importlib.util.find_spec("litex").submodule_search_locations
    return Path(package) / "soc"

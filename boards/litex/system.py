# SPDX-License-Identifier: Apache-2.0
"""An exported LiteX system: Verilog, memory map and C headers."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.installing import install_command

__all__ = ["REASON", "System", "check_litex", "export_system"]

REASON    = "xymac: "  #: Text in front of an InputError's sentence in the exporting process.
_PACKAGES = ("litex", "litedram", "litespi", "migen", "pythondata_cpu_vexriscv")
_CPU      = "verilog/VexRiscv.v"  # inside the last of them
_STAMP    = re.compile(r"^//.*\n", re.MULTILINE)  # LiteX writes the date into comments


@dataclass(frozen=True)
class System:
    """A LiteX system in ``folder`` with a ``size`` core."""

    folder: Path
    size:   str

    @property
    def includes(self):
        """Folder above ``generated`` with LiteX's C headers."""
        return self.folder / "software/include"

    def region(self, name):
        """Address and byte count of the memory ``name``, such as "main_ram"."""
        region = json.loads((self.folder / "csr.json").read_text())["memories"][name]
        return region["base"], region["size"]

    @property
    def verilog(self):
        """The system's Verilog with VexRiscv and the core; the top module is ``top``."""
        (package,) = importlib.util.find_spec(_PACKAGES[-1]).submodule_search_locations
        sources = [self.folder / "gateware/top.v", *sorted(self.folder.glob("xymac_*.v")),
                   Path(package) / _CPU]
        return "".join(_STAMP.sub("", path.read_text()) for path in sources)


def check_litex():
    """Raise InputError unless all LiteX packages are installed."""
    for name in _PACKAGES:
        if importlib.util.find_spec(name) is None:
            raise InputError(f"A system with VexRiscv needs the package {name.replace('_', '-')}, "
                             f"which is not installed: `{install_command('soc')}` installs it")


def export_system(kind, size, folder, **options):
    """Write a System to ``folder``, an existing folder; InputError if LiteX is missing or fails.

    Parameters
    ----------
    kind : str, "simulated" or "ulx3s", see ``make`` in the module with this name
    size : str, core size
    options : further ``make`` arguments
    """
    check_litex()
    options = {"size": size, "folder": str(folder.resolve()), **options}
    done = subprocess.run(
        [sys.executable, "-m", "xymac.boards.litex.export", kind, json.dumps(options)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        last  = (lines or ["no message"])[-1]
        raise InputError(last.removeprefix(REASON) if last.startswith(REASON) else
                         f"LiteX failed: {last}")
    return System(folder, size)

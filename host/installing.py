# SPDX-License-Identifier: Apache-2.0
"""Commands installing a xymac extra into this environment, wherever they are typed."""

import importlib.util
import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

__all__ = ["install_command"]

_NAME   = "xymac"
_ROOT   = Path(__file__).resolve().parents[1]
_EXTRA  = re.compile(r";.*\bextra == ['\"]([\w-]+)['\"]")
_OWN    = re.compile(rf"{_NAME}\[([\w,-]+)\]")
_TARGET = {"fpga": "fpga"}  #: Makefile targets with their own names.


def install_command(extra):
    """The command installing the extra ``extra``.

    In the checkout's own environment, made by ``make``, it is a Makefile target, which
    notes that the extra is installed. Elsewhere pip installs the extra's packages by their names.
    """
    if Path(sys.prefix).resolve() == _ROOT / ".venv" and (_ROOT / "Makefile").is_file():
        target = _TARGET.get(extra, f".venv/installed-{extra}")
        folder = [] if Path.cwd() == _ROOT else ["-C", str(_ROOT)]
        return shlex.join(["make", *folder, target])
    pip = ([sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else
           ["python3", "-m", "pip", "--python", sys.executable])
    return shlex.join([*pip, "install", *_packages(extra)])


def _packages(extra):
    """An extra's requirements, including requirements from other extras named in it."""
    try:
        lines = requires(_NAME) or []
    except PackageNotFoundError:
        lines = []
    found = []
    for line in lines:
        match = _EXTRA.search(line)
        if match is None or match[1] != extra:
            continue
        requirement = line.partition(";")[0].strip()
        own = _OWN.fullmatch(requirement)
        for package in ([each for name in own[1].split(",") for each in _packages(name)] if own
                        else [requirement]):
            if package not in found:
                found.append(package)
    return found or [f"{_NAME}[{extra}]"]

# SPDX-License-Identifier: Apache-2.0
"""Simulators that count coverage: with XYMAC_COVERAGE=FOLDER in the environment all of them do.

``FOLDER`` receives the counters of each simulation as ``NAME-HASH.N.dat``, as Verilator writes
them, and ``NAME-HASH.json``: the counted Verilog and its branches, see ``annotate.py``.
"""

import hashlib
import json
import os
import re
import tempfile
from dataclasses import asdict
from pathlib import Path

import xymac.hdl

from .annotate import annotated_verilog
from .cache import cached
from .compile import ports_of

__all__ = ["COVERAGE_ARGS", "counted_harness", "counted_verilog", "counters_path",
           "coverage_folder", "described_by"]

#: Options of Verilator.
COVERAGE_ARGS = ["--coverage-line", "--coverage-toggle", "--coverage-expr",
                 "--coverage-max-width", "2048"]

_DESCRIBED = "top.json"  # in the folder of a library that counts
_FOLDER    = "XYMAC_COVERAGE"
_HDL       = Path(xymac.hdl.__file__).resolve().parent
#: Nets without a name in the sources, fields of a signal that is counted as a whole, memories, and
#: the branch by which Yosys starts a block.
_UNCOUNTED = re.compile(r"^\s*(input|output|wire|reg) (signed )?(\[\d+:\d+\] )?"
                        r"(\\(\$|\S*[.\[])|\S+ *\[\d+:\d+\];)|^\s*if \(\\\$auto\$")
_NOTE = re.compile(r"\(\* [^*]* \*\)|/\* (?!verilator)[^*]* \*/")


def coverage_folder():
    """Counter folder, or None if no coverage is counted."""
    folder = os.environ.get(_FOLDER)
    return Path(folder) if folder else None


def counted_verilog(component, name):
    """Return (Verilog of ``component`` to simulate, content of its JSON file).

    The JSON file has the same lines with attributes and comments, so that no simulation is compiled
    again when only positions in the sources change.
    """
    text, arms = annotated_verilog(component, ports_of(component))
    lines = [_leave_out(_NOTE.sub("", line)) for line in text.splitlines()]
    return "\n".join([*lines, ""]), json.dumps(
        {"name": name, "verilog": text, "arms": [asdict(arm) for arm in arms]})


def counted_harness(component, name, sources, main):
    """Return (Verilog to simulate, options for ``xymac.sim.rtl.harness.compile_harness``).

    It is elaborated again only if ``sources`` changed, and compiled once, for its run is short.
    ``main`` is the harness, a Path beside ``counting.cpp``.
    """
    text, described = _counted_build(component, name, sources)
    beside = {_DESCRIBED: described, main.name: main.read_text()}
    return text, {"train": None, "args": COVERAGE_ARGS, "beside": beside,
                  "main": main.with_name("counting.cpp")}


def _counted_build(component, name, sources):
    if sources is None:
        return counted_verilog(component(), name)

    def elaborate(folder):
        text, described = counted_verilog(component(), name)
        (folder / "top.v").write_text(text)
        (folder / _DESCRIBED).write_text(described)

    own  = [Path(__file__).with_name(f"{module}.py")
            for module in ("annotate", "coverage", "crosses", "machines")]
    made = cached(f"{name}-counted", [  # positions begin with the folder, which may move
        str(_HDL), *(item.read_bytes() if isinstance(item, Path) else item
                     for item in (*sources, *own))], elaborate)
    return (made / "top.v").read_text(), (made / _DESCRIBED).read_text()


def described_by(library):
    """JSON file content for a counting library, or None if no coverage is counted."""
    if coverage_folder() is None:
        return None
    return Path(library).with_name(_DESCRIBED).read_text()


def _leave_out(line):
    if not _UNCOUNTED.match(line):
        return line
    return f"/* verilator coverage_off */ {line} /* verilator coverage_on */"


def counters_path(described):
    """Return the path for a new counter file of a model, and write its JSON file."""
    folder = coverage_folder()
    folder.mkdir(parents=True, exist_ok=True)
    name   = json.loads(described)["name"]
    stem   = f"{name}-{hashlib.sha256(described.encode()).hexdigest()[:12]}"
    beside = folder / f"{stem}.json"
    if not beside.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".tmp", delete=False) as file:
            file.write(described)
        Path(file.name).rename(beside)
    handle, path = tempfile.mkstemp(".dat", f"{stem}.", folder)
    os.close(handle)
    return Path(path)

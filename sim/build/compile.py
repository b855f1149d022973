"""Compile a component into a simulator; builds are cached by what went into them."""

import hashlib
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from amaranth.back import verilog
from amaranth.hdl import Signal, ValueCastable
from amaranth.hdl._ir import PortDirection  # Not exported, yet `convert` wants it.
from amaranth.lib import wiring

from hdl.elaboration import quick_elaboration

from .prune import locked, mark_used, prune
from .verilator import find_toolchain, run_tool

__all__ = ["build_root", "cached", "compile_model", "ports_of", "verilog_of"]

# Noise on what Amaranth emits: wires of exact width, comparisons that a parameter decides, switches
# that keep a value by having no case for it, fields of one signal that depend on each other, ports
# that are called like a keyword of C++.
_QUIET = ["-Wno-WIDTH", "-Wno-CMPCONST", "-Wno-CASEINCOMPLETE", "-Wno-UNOPTFLAT",
          "-Wno-SYMRSVDWORD"]
_VERILATOR_ARGS = ["--cc", "--top-module", "top", "--prefix", "Vtop", "-O3", *_QUIET,
                   "--x-assign", "fast", "--x-initial", "fast", "--no-timing",
                   "--default-language", "1364-2005"]
_RUNTIME   = ("verilated", "verilated_dpi", "verilated_threads", "verilated_vpi")
_CXX_FLAGS = ["-std=gnu++17", "-fPIC", "-w", "-DVM_SC=0", "-DVM_COVERAGE=0", "-DVM_TIMING=0",
              "-DVM_TRACE_FST=0", "-DVM_TRACE_SAIF=0"]
_PARALLEL  = min(4, os.cpu_count() or 1)
_SMALL     = 400_000  # bytes of C++


def build_root():
    """Return the folder of all builds: ``build`` beside the sources, else the user's cache."""
    project = Path(__file__).resolve().parents[2]
    if (project / "pyproject.toml").exists() and os.access(project, os.W_OK):
        return project / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "xymac"


def cached(name, parts, make):
    """Return the folder ``name-<hash of parts>``, filled by ``make(folder)`` if it is new.

    ``parts`` (strings or bytes) are everything the content depends on. The folder appears complete
    or not at all, and is made once: who asks for one of this name meanwhile waits. A new one takes
    the place of old ones of the same name, see ``sim.build.prune``: use the folder at once,
    and ask again later. ``make`` must not ask for this name.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(data)}:".encode() + data)
    root   = build_root()
    folder = root / f"{name}-{digest.hexdigest()[:16]}"
    root.mkdir(parents=True, exist_ok=True)
    if mark_used(folder):
        return folder
    with locked(root, name):
        if not mark_used(folder):
            _fill(folder, name, make)
    prune(root)
    return folder


def _fill(folder, name, make):
    """Let ``make`` fill a new folder that is called ``folder`` when it is complete."""
    growing = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder.parent))
    try:
        make(growing)
        growing.rename(folder)
    except BaseException:
        shutil.rmtree(growing, ignore_errors=True)
        raise


@quick_elaboration()
def verilog_of(component):
    """Return ``component`` as Verilog; its top module is ``top``, see ``ports_of``."""
    return verilog.convert(component, name="top", ports=ports_of(component), emit_src=False)


def ports_of(component):
    """Ports of ``component`` for Amaranth's ``convert``: {name: (signal, direction)}.

    A constant ``valid`` or ``ready`` of a stream becomes none.
    """
    ports = {}
    for path, member, value in component.signature.flatten(component):
        signal = value.as_value() if isinstance(value, ValueCastable) else value
        if isinstance(signal, Signal):
            is_input = member.flow == wiring.In
            ports["__".join(map(str, path))] = (
                signal, PortDirection.Input if is_input else PortDirection.Output)
    return ports


def _compile(tools, flags, sources, folder):
    """Compile each of ``sources`` (path: optimisation) in ``folder``; return the object files."""
    def one(item):
        source, optimisation = item
        target = folder / f"{source.stem}.o"
        run_tool([tools.compiler, *_CXX_FLAGS, optimisation, *flags, *tools.includes,
                  f"-I{folder}", "-c", source, "-o", target])
        return target

    with ThreadPoolExecutor(_PARALLEL) as pool:
        return list(pool.map(one, sources.items()))


def _runtime(tools, trace):
    """Return the object files of Verilator's run-time library, the same for every model."""
    names   = (*_RUNTIME, *(["verilated_vcd_c"] if trace else []))
    sources = {tools.root / "include" / f"{name}.cpp": "-O2" for name in names}
    flags   = [f"-DVM_TRACE={trace:d}", f"-DVM_TRACE_VCD={trace:d}"]
    folder  = cached("runtime", [tools.version, *_CXX_FLAGS, *flags],
                     lambda folder: _compile(tools, flags, sources, folder))
    return sorted(folder.glob("*.o"))


def _unite(folder, name, *sources):
    """Write a source that includes ``sources``: reading the headers once saves most of the time."""
    path = folder / f"{name}.cpp"
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    return path


def _sources(model, main, optimise):
    """Return what is to be compiled, {path: optimisation}, of ``main`` and the files in ``model``.

    Reading the headers takes longer than a small model itself, which is one source for that.
    """
    parts = sorted(model.glob("Vtop*.cpp"))
    if sum(part.stat().st_size for part in parts) < _SMALL:
        return {_unite(model, "all", *parts, main): optimise}
    slow = [part for part in parts if part.stem.endswith("__Slow")]
    fast = [part for part in parts if part not in slow]
    return {_unite(model, "fast", *fast): optimise, _unite(model, "slow", *slow): "-O0",
            main: optimise}


def compile_model(text, *, main, name, args=(), control="", flags=(), link=(), optimise="-O1",
                  trace=False):
    """Verilate ``text`` (Verilog), compile it with ``main`` (C++ file), return the linked file.

    Parameters
    ----------
    text : str, Verilog with the top module ``top``; the model's class is ``Vtop``
    main : Path, C++ source
    name : str, begins the name of the folder, for people
    args : options of Verilator
    control : str, a Verilator control file
    flags, link : options of the C++ compiler and of its linking
    optimise : str, of the model; the slow parts of it never are
    trace : bool, able to write a VCD

    ToolError if a tool is missing or fails.
    """
    tools   = find_toolchain()
    args    = [*_VERILATOR_ARGS, *args, *(["--trace-vcd"] if trace else [])]
    flags   = [f"-DVM_TRACE={trace:d}", f"-DVM_TRACE_VCD={trace:d}", *flags]
    runtime = _runtime(tools, trace)

    def make(folder):
        model = folder / "model"
        model.mkdir()
        (model / "top.v").write_text(text)
        (model / "top.vlt").write_text(f"`verilator_config\n{control}")
        run_tool([tools.verilator, *args, "-Mdir", model, model / "top.vlt", model / "top.v"],
                 env=os.environ | {"VERILATOR_ROOT": str(tools.root)})
        objects = _compile(tools, flags, _sources(model, Path(main), optimise), model)
        run_tool([tools.compiler, *objects, *runtime, *link, "-pthread", "-o", folder / "top"])
        shutil.rmtree(model)

    parts = [text, Path(main).read_bytes(), tools.version, control, optimise, *args, *flags, *link]
    return cached(name, parts, make) / "top"

# SPDX-License-Identifier: Apache-2.0
"""Compile a component into a simulator; builds are cached."""

import ctypes
import logging
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from amaranth._toolchain.yosys import find_yosys  # Not exported; pinned: see pyproject.toml.
from amaranth.back import rtlil, verilog
from amaranth.hdl import Signal, ValueCastable
from amaranth.hdl._ir import PortDirection  # Not exported, but `convert` needs it.
from amaranth.lib import wiring

from xymac.hdl.elaboration import quick_elaboration
from xymac.host.cluster import count_cores

from .cache import cached, folder_of
from .verilator import find_toolchain, run_tool

__all__ = ["compile_model", "ports_of", "verilog_of", "verilog_once"]

# Irrelevant warnings about Amaranth's output: wires of exact width, comparisons with a constant
# result, incomplete switches that keep a value, fields of a signal that depend on each other, port
# names that are C++ keywords.
_QUIET = ["-Wno-WIDTH", "-Wno-CMPCONST", "-Wno-CASEINCOMPLETE", "-Wno-UNOPTFLAT",
          "-Wno-SYMRSVDWORD"]
_VERILATOR_ARGS = ["--cc", "--prefix", "Vtop", "-O3", *_QUIET, "--x-assign", "fast",
                   "--x-initial", "fast", "--no-timing", "--default-language", "1364-2005"]
_RUNTIME   = ("verilated", "verilated_threads")
_TRACING   = ("verilated_vcd_c",)
_VPI       = ("verilated_dpi", "verilated_vpi")
_COVERAGE  = ("verilated_cov",)
_CXX_FLAGS = ["-std=gnu++17", "-fPIC", "-w", "-DVM_SC=0", "-DVM_COVERAGE=0", "-DVM_TIMING=0",
              "-DVM_TRACE_FST=0", "-DVM_TRACE_SAIF=0"]
_PARALLEL  = min(4, count_cores())
_SMALL     = 400_000  # bytes of C++
_LARGE     = 2_000_000  # bytes of Verilog
_DUMP      = 'extern "C" { void __gcov_dump(); void dump_profile() { __gcov_dump(); } }\n'

_log = logging.getLogger("xymac.build")


@quick_elaboration()
def verilog_of(component):
    """Return the Verilog of ``component``; the top module is ``top``, see ``ports_of``.

    Yosys translates the same RTLIL once: the folder of builds keeps its Verilog.
    """
    text = rtlil.convert(component, name="top", ports=ports_of(component), emit_src=False)

    def translate(folder):
        (folder / "top.v").write_text(verilog._convert_rtlil_text(text))

    version = find_yosys(lambda version: True).version()
    folder  = cached(f"verilog-{type(component).__name__.lower()}", [text, str(version)], translate)
    return (folder / "top.v").read_text()


def verilog_once(make, name, sources):
    """``verilog_of(make())``, from a file in the folder of builds unless ``sources`` changed.

    Parameters
    ----------
    make : function without arguments that makes the component
    name : str, prefix for the folder's name
    sources : files and strings that determine the component
    """
    def elaborate(folder):
        _log.info("Writing the Verilog of %s", name.removesuffix("-verilog").replace("-", " "))
        (folder / "top.v").write_text(verilog_of(make()))

    parts = [item.read_bytes() if isinstance(item, Path) else item for item in sources]
    return (cached(name, parts, elaborate) / "top.v").read_text()


def ports_of(component):
    """Ports of ``component`` for Amaranth's ``convert``: {name: (signal, direction)}.

    A stream's constant ``valid`` or ``ready`` does not become a port.
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
    """Compile ``sources``, {path: its flags}, in ``folder``; returns the object files."""
    def one(item):
        source, own = item
        target = folder / f"{source.stem}.o"
        run_tool([tools.compiler, *_CXX_FLAGS, *own, *flags, *tools.includes, f"-I{folder}", "-c",
                  source, "-o", target], env=os.environ | {"TMPDIR": str(folder)})
        return target

    with ThreadPoolExecutor(_PARALLEL) as pool:
        return list(pool.map(one, sources.items()))


def _link(tools, objects, options, target):
    run_tool([tools.compiler, *objects, *options, "-pthread", "-o", target],
             env=os.environ | {"TMPDIR": str(target.parent)})


def _runtime(tools, args, *, trace):
    """Return Verilator's run-time library object files for models made with ``args``.

    All models share them.
    """
    names = [*_RUNTIME, *(_TRACING if trace else ()), *(_VPI if "--vpi" in args else ()),
             *(_COVERAGE if _covers(args) else ())]
    flags = ["-O1", "-DVM_TRACE=1", "-DVM_TRACE_VCD=1"]  # these only declare classes

    def compile_part(name):
        source = {tools.root / "include" / f"{name}.cpp": []}
        return cached(name, [tools.version, *_CXX_FLAGS, *flags],
                      lambda folder: _compile(tools, flags, source, folder)) / f"{name}.o"

    with ThreadPoolExecutor(_PARALLEL) as pool:
        return list(pool.map(compile_part, names))


def _covers(args):
    """Whether Verilator counts coverage with the options ``args``."""
    return any(arg.startswith("--coverage") for arg in args)


def _headers(tools, flags, own):
    """Return flags that include Verilator's headers, precompiled.

    The headers make up most code in a small model. A compiler other than g++, or with other flags,
    reads the plain headers. Never combine this with a profile: g++ 12 may crash.
    """
    def make(folder):
        header = folder / "headers.h"
        header.write_text('#include "verilated.h"\n#include "verilated_vpi.h"\n')
        run_tool([tools.compiler, *_CXX_FLAGS, *own, *flags, *tools.includes, "-x", "c++-header",
                  header, "-o", f"{header}.gch"], env=os.environ | {"TMPDIR": str(folder)})

    folder = cached("headers", [tools.version, *_CXX_FLAGS, *own, *flags], make)
    return ["-include", folder / "headers.h"]


def _unite(folder, name, *sources):
    """Write a file that includes ``sources``; reading the headers only once saves most time."""
    path = folder / f"{name}.cpp"
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    return path


def _sources(model, main, optimise):
    """Return {path: flags} for all files to compile: ``main`` and the files in ``model``.

    The first file holds the code that runs every cycle. A small model becomes a single file,
    because reading the headers takes longer than the model itself.
    """
    parts = sorted(model.glob("Vtop*.cpp"))
    if sum(part.stat().st_size for part in parts) < _SMALL:
        return {_unite(model, "all", *parts, main): [optimise]}
    slow = [part for part in parts if part.stem.endswith("__Slow")]
    fast = [part for part in parts if part not in slow]
    return {_unite(model, "fast", *fast): [optimise], _unite(model, "slow", *slow): ["-O0"],
            main: [optimise]}


def _compile_profiled(tools, flags, sources, folder, train, link):
    """Compile ``sources``, then compile the first file again with a run's profile.

    ``train(library)`` runs the library linked first by ``link(objects, options, library)``.
    """
    [hot, *_], dump, library = sources, folder / "dump.cpp", folder / "trial"
    dump.write_text(_DUMP)
    trial = sources | {hot: [*sources[hot], "-fprofile-generate"], dump: []}
    link(_compile(tools, flags, trial, folder), ["-fprofile-generate"], library)
    _log.info("Running it for a profile, to compile the part that runs every cycle once more")
    train(library)
    ctypes.CDLL(str(library)).dump_profile()
    _compile(tools, flags, {hot: [*sources[hot], "-fprofile-use"]}, folder)
    return [folder / f"{source.stem}.o" for source in sources]


def compile_model(text, *, main, name, top="top", args=(), control="", flags=(), link=(),
                  optimise="-O1", trace=False, train=None, beside=None):
    """Verilate ``text`` (Verilog), compile it with ``main`` (C++ file), return the linked file.

    Parameters
    ----------
    text : str, Verilog; the model's class is ``Vtop``
    main : Path, C++ source; it may include headers in its folder
    name : str, readable folder name prefix
    top : str, top module
    args : Verilator options
    control : str, Verilator control file content
    flags, link : C++ compiler and linker options
    optimise : str, model optimisation flag; code that runs once is never optimised
    trace : bool, support writing a VCD
    train : function that runs the linked library with a typical load, for a profile-guided second
        compilation; None: no profile. XYMAC_PROFILE=no in the environment skips the profile:
        compilation takes half the time, the simulation is slower. An existing build with a profile
        is used in any case.
    beside : dict {name: content}, further files in the folder, or None

    ToolError if a tool is missing or fails, OSError with the folder if its disk is full.
    """
    tools   = find_toolchain()
    beside  = beside or {}
    train   = train if tools.profiles else None
    args    = [*_VERILATOR_ARGS, "--top-module", top, *args, *(["--trace-vcd"] if trace else [])]
    flags   = [f"-DVM_TRACE={trace:d}", f"-DVM_TRACE_VCD={trace:d}",
               *(["-UVM_COVERAGE", "-DVM_COVERAGE=1"] if _covers(args) else []), *flags]
    runtime = _runtime(tools, args, trace=trace)

    def join(objects, options, target):
        _link(tools, [*objects, *runtime], [*link, *options], target)

    def make(folder):
        _log.info("Compiling the simulation of %s (once, %s)", name.replace("-", " "),
                  "a minute or two" if len(text) > _LARGE else "less than a minute")
        model = folder / "model"
        _verilate(tools, text, control, args, model)
        sources = _sources(model, Path(main), optimise)
        if len(sources) == 1 and tools.profiles and train is None:  # a small model, and g++
            sources = {source: [*own, *_headers(tools, flags, own)]
                       for source, own in sources.items()}
        objects = (_compile(tools, flags, sources, model) if train is None else
                   _compile_profiled(tools, flags, sources, model, train, join))
        join(objects, [], folder / "top")
        shutil.rmtree(model)
        for path, content in beside.items():
            (folder / path).write_text(content)

    def parts():
        own = [Path(main), *sorted(Path(main).parent.glob("*.h"))]
        return [text, *(path.read_bytes() for path in own), tools.version, control, optimise, *args,
                *flags, *link, *beside.values(), *(part.parent.name for part in runtime),
                "profiled" if train else "plain"]

    if os.environ.get("XYMAC_PROFILE") == "no" and not folder_of(name, parts()).exists():
        train = None
    return cached(name, parts(), make) / "top"


def _verilate(tools, text, control, args, model):
    """Translate ``text`` to C++ in a new folder ``model``."""
    model.mkdir()
    (model / "top.v").write_text(text)
    (model / "top.vlt").write_text(f"`verilator_config\n{control}")
    run_tool([tools.verilator, *args, "-Mdir", model, model / "top.vlt", model / "top.v"],
             env=os.environ | {"VERILATOR_ROOT": str(tools.root)})

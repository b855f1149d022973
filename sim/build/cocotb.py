# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches on a component in Verilator."""

import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path

import cocotb_tools.config
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from xymac.host.files import write_whole
from xymac.host.files.root import build_root

from .compile import compile_model, ports_of, verilog_of, verilog_once
from .coverage import COVERAGE_ARGS, counted_verilog, counters_path, coverage_folder
from .verilator import has_header

__all__ = ["dump_of", "run_bench"]

_WRITER = Path(__file__).parents[1] / "rtl"  # folder of the FST writer's headers


def dump_of(name):
    """The waveform file of a bench: FST, a VCD where zlib has no headers."""
    return build_root() / f"{name}.{'fst' if has_header('zlib.h') else 'vcd'}"


def _writer(waves):
    """Options of compiler and linker for the waveform format; the compiler's name the writer."""
    if not waves or not has_header("zlib.h"):
        return [], []
    text = b"".join(path.read_bytes() for path in sorted(_WRITER.glob("*.h")))
    return ["-UVM_TRACE_FST", "-DVM_TRACE_FST=1", f"-I{_WRITER}",
            f"-DXYMAC_WRITER=0x{hashlib.sha256(text).hexdigest()[:8]}"], ["-lz"]


def _compile(text, ports, name, waves, args=()):
    """Link the model of ``text`` with cocotb's main program; returns the program's path.

    Only the ports are public: with all signals public, Verilator could not merge any signals.
    """
    libs   = cocotb_tools.config.libs_dir
    main   = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    flags, zlib = _writer(waves)
    public = "".join(f'public_flat_rw -module "top" -var "{port}"\n' for port in ports)
    return compile_model(
        text, main=main, name=f"bench-{name}", trace=waves, control=public,
        args=["--vpi", "--timescale", "1ns/1ps", *args], optimise="-O0",
        flags=flags, link=[*zlib, f"-Wl,-rpath,{libs}", f"-L{libs}", "-lcocotbvpi_verilator"])


def run_bench(component, *, bench, name, plusargs=None, waves=False, verilog=verilog_of,
              sources=None):
    """Run every ``@cocotb.test`` of module ``bench`` on ``component``.

    Parameters
    ----------
    component : wiring.Component
    bench : str, module name
    name : str, build and waveform name
    plusargs : dict, component parameters; the bench reads them as strings in ``cocotb.plusargs``
    waves : bool, write the file ``dump_of(name)``
    verilog : function from the component to its Verilog
    sources : files and strings that determine the component, which is elaborated again only if they
        change; None: always elaborate

    AssertionError with the log's end if a test fails or no test runs, OSError with the log if
    there are no waves.
    """
    counts = coverage_folder() is not None and verilog is verilog_of
    if counts:
        text, described = counted_verilog(component, name)
    elif sources is None:
        text = verilog(component)
    else:
        text = verilog_once(lambda: component, f"bench-{name}-verilog", sources)
    program = _compile(text, [*ports_of(component), "clk", "rst"], name, waves,
                       COVERAGE_ARGS if counts else ())
    with tempfile.TemporaryDirectory() as folder:
        def simulate(**options):
            return _simulate(program, bench, Path(folder), plusargs or {}, waves=waves, **options)

        total, failed, log = simulate()
        if failed or not total:
            *_, log = simulate(explain=True)
        if counts:
            shutil.copy(Path(folder) / "coverage.dat", counters_path(described))
        if waves:
            written = _keep(Path(folder), dump_of(name))
    if failed or not total:
        tail = "\n".join(log.splitlines()[-100:])
        raise AssertionError(f"{bench} on {name}: {failed} of {total} tests failed\n{tail}")
    if waves and not written:
        raise OSError(f"The simulation of {name} wrote no waves: {log}")


def _keep(folder, target):
    """Copy the waves of a simulation in ``folder`` to ``target``; False if there are none."""
    dump = folder / f"dump{target.suffix}"
    if dump.exists():
        with write_whole(target) as partial:
            shutil.copy(dump, partial)
    return dump.exists()


def _simulate(program, bench, folder, plusargs, *, waves, explain=False):
    """Run ``bench`` in ``folder``; returns (test count, failed test count, log).

    With ``explain`` the log shows the values in a failed assertion; loading the assertion rewriter
    takes longer than most benches.
    """
    log, results = folder / "log", folder / "results.xml"
    with contextlib.suppress(SystemExit):  # The runner exits when a test fails.
        get_runner("verilator").test(
            hdl_toplevel=program.name, hdl_toplevel_lang="verilog", test_module=bench,
            build_dir=program.parent, test_dir=folder, results_xml=str(results),
            log_file=log, waves=waves,
            extra_env={"GPI_LOG_LEVEL": "WARNING",
                       "COCOTB_REWRITE_ASSERTION_FILES": "*.py" if explain else ""},
            plusargs=[f"+{key}={value}" for key, value in plusargs.items()])
    return *(get_results(results) if results.exists() else (0, 0)), log.read_text()

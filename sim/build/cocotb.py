# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches on a component in Verilator."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import cocotb_tools.config
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from xymac.host.files.root import build_root

from .compile import compile_model, ports_of, verilog_of, verilog_once
from .coverage import COVERAGE_ARGS, counted_verilog, counters_path, coverage_folder

__all__ = ["run_bench"]


def _compile(text, ports, name, waves, args=()):
    """Link the model of ``text`` with cocotb's main program; returns the program's path.

    Only the ports are public: with all signals public, Verilator could not merge any signals.
    """
    libs   = cocotb_tools.config.libs_dir
    main   = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    public = "".join(f'public_flat_rw -module "top" -var "{port}"\n' for port in ports)
    return compile_model(
        text, main=main, name=f"bench-{name}", trace=waves, control=public,
        args=["--vpi", "--timescale", "1ns/1ps", *args], optimise="-O0",
        link=[f"-Wl,-rpath,{libs}", f"-L{libs}", "-lcocotbvpi_verilator"])


def run_bench(component, *, bench, name, plusargs=None, waves=False, verilog=verilog_of,
              sources=None):
    """Run every ``@cocotb.test`` of module ``bench`` on ``component``.

    Parameters
    ----------
    component : wiring.Component
    bench : str, module name
    name : str, build and waveform name
    plusargs : dict, component parameters; the bench reads them as strings in ``cocotb.plusargs``
    waves : bool, write ``build/<name>.vcd``
    verilog : function from the component to its Verilog
    sources : files and strings that determine the component, which is elaborated again only if they
        change; None: always elaborate

    AssertionError with the log's end if a test fails or no test runs.
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
            shutil.copy(Path(folder) / "dump.vcd", build_root() / f"{name}.vcd")
    if failed or not total:
        tail = "\n".join(log.splitlines()[-100:])
        raise AssertionError(f"{bench} on {name}: {failed} of {total} tests failed\n{tail}")


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

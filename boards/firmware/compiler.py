# SPDX-License-Identifier: Apache-2.0
"""A C compiler for VexRiscv: GCC if it is installed, else the package ziglang's."""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from xymac.host.errors import InputError
from xymac.host.files.root import build_root

__all__ = ["Compiler", "find_compiler", "link_program"]

_GCC     = "riscv64-unknown-elf-gcc"
_ZIG     = "ziglang"
_ABI     = "-mabi=ilp32"
_OPTIONS = ("-O2", "-fomit-frame-pointer", "-ffreestanding", "-fno-builtin",
            "-ffunction-sections", "-fdata-sections", "-std=gnu11", "-w", "-Wl,--gc-sections",
            "-D__vexriscv__")
_SUMMARY = "collect2: "  # GCC's line behind those of the linker


@dataclass(frozen=True)
class Compiler:
    """A C compiler for RV32IM.

    Parameters
    ----------
    name : str
    command : tuple, program and processor options
    libraries : tuple, options behind the sources: arithmetic missing in RV32IM
    """

    name:      str
    command:   tuple
    libraries: tuple


def find_compiler():
    """Return this machine's Compiler; InputError if there is none."""
    path = shutil.which(_GCC)
    if path is not None:
        return Compiler(_GCC, (path, "-march=rv32im_zicsr", _ABI, "-nostdlib",
                               "-fno-tree-loop-distribute-patterns"), (_libgcc(path),))
    if importlib.util.find_spec(_ZIG) is not None:
        return Compiler(_ZIG, (sys.executable, "-m", _ZIG, "cc", "-target", "riscv32-freestanding",
                               "-mcpu=generic_rv32+m+zicsr", "-fno-sanitize=all"), ())
    raise InputError(f"No C compiler for RISC-V found: neither {_GCC} is on PATH (Debian: apt "
                     f"install gcc-riscv64-unknown-elf) nor the Python package {_ZIG} installed")


def _libgcc(path):
    """GCC's library for RV32IM; with Zicsr, GCC 12 takes that for another processor."""
    done = subprocess.run([path, "-march=rv32im", _ABI, "-print-libgcc-file-name"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "-lgcc"


def link_program(sources, script, target, *, includes=(), defines=()):
    """Compile and link C and assembler files into an ELF file.

    Parameters
    ----------
    sources : paths
    script : linker script path
    target : Path, ELF file
    includes, defines : folders, and macros such as ``OUTPUT_BYTES=64``

    InputError with the compiler's first error if it fails, or if there is no compiler.
    """
    compiler, cache = find_compiler(), str(build_root() / "zig")
    done = subprocess.run(
        [*compiler.command, *_OPTIONS, *(f"-D{each}" for each in defines),
         *(f"-I{each}" for each in includes), "-T", str(script),
         *map(str, sources), *compiler.libraries, "-o", str(target)],
        env=os.environ | {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache},
        capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise InputError(f"{compiler.name} failed with code {done.returncode}: "
                         f"{_first_error(done.stderr)}")


def _first_error(text):
    """The line that says most of a compiler's text; GNU ld's lines have no word for an error."""
    lines  = [line.strip() for line in text.splitlines() if not line.startswith(_SUMMARY)]
    errors = [line for line in lines if "error: " in line]
    others = [line for line in lines if line and not line.endswith(":") and "warning: " not in line]
    return [*errors, *others, "no message"][0]

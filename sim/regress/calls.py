# SPDX-License-Identifier: Apache-2.0
"""Reference calls in pieces: by kernel, backend and size, and on the netlist by function."""

import re

from xymac.host.vectors.files import read_cases

from .piece import Piece

__all__ = ["cut_gates", "cut_vectors"]

#: Case folders and their dialects.
FOLDERS = {"tests/vectors": "mli-1", "tests/vectors/mli2": "mli-2", "tests/vectors/xs3": "xs3",
           "tests/vectors/tflm": "tflm"}

NETLISTS = ("tiny", "small", "compact")  #: Sizes whose netlists are simulated.

_KERNEL   = re.compile(r"(mli_krn_.+?)_(?:fx|sa)\d.*")
_TOGETHER = 8  #: Functions per netlist piece.
_GATES    = "tests/rtl/test_gate_level.py"


def list_functions(root):
    """{(folder, dialect): function names in order}."""
    functions = {}
    for folder, dialect in FOLDERS.items():
        for case in read_cases(root / folder):
            names = functions.setdefault((folder, case.dialect), {})
            names[case.function] = dialect
    return {place: [*names] for place, names in functions.items()}


def glob_of(function):
    """Glob for the piece with ``function``: a kernel in all types, or all functions with a letter.
    """
    kernel = _KERNEL.fullmatch(function)
    if kernel is not None:
        return f"{kernel[1]}_[fs][xa]*"
    return function if function.startswith("mli") else f"{function[0]}*"


def cut_vectors(root, size="base"):
    """Cut all reference calls in the source tree ``root`` (Path) into pieces."""
    for (folder, dialect), functions in list_functions(root).items():
        globs = dict.fromkeys(map(glob_of, functions))
        for backend in ("golden", "machine", "rtl"):
            for glob in ["*"] if backend == "golden" else globs:
                words = ("xymac", "check", folder, "--dialect", dialect, "--match", glob,
                         "--backend", backend, "--size", size)
                yield Piece("vectors", f"{dialect} {glob} {backend} {size}", words, option="")


def cut_gates(root):
    """Pieces for every function's smallest case, and random programs, on each netlist."""
    for size in NETLISTS:
        words = ("pytest", "-m", "gates", "--thorough", "--netlist", size)
        for (_, dialect), functions in list_functions(root).items():
            for first in range(0, len(functions), _TOGETHER):
                chosen = functions[first:first + _TOGETHER]
                items  = [f"{_GATES}::test_smallest_case_in_every_variant[{dialect}-{function}]"
                          for function in chosen]
                yield Piece("gates", f"gates {size} {dialect} {chosen[0]} to {chosen[-1]}",
                            (*words, *items))
        yield Piece("gates", f"gates {size} test_programs", (*words, f"{_GATES}::test_programs"))

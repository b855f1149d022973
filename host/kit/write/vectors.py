# SPDX-License-Identifier: Apache-2.0
"""Cases as a reference vector folder for ``xymac check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from xymac.host.errors import InputError, check_path, check_type
from xymac.host.files import fill_folder, write_file, write_whole
from xymac.host.files.arrays import write_arrays
from xymac.host.vectors.files import INDEX

from .call import call_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["write_vectors"]


def write_vectors(folder: Path | str, cases: Sequence[Case]) -> None:
    """Write Cases to a ``folder``, which is created if necessary: an index, and an array file per
    function.

    The expected outputs are golden's. InputError if the folder has vectors already, cannot be
    written, or a case is not a library function call.
    """
    check_path("folder", folder, "folder")
    check_type("cases", cases, list, tuple, hint=": generate makes Stimuli with cases")
    folder = Path(folder)
    if (folder / INDEX).exists():
        raise InputError(f"{folder} has an {INDEX} already")
    entries, arrays = [], {}
    for number, case in enumerate(cases):
        call = call_of(case)
        file = f"{case.dialect}_{call.function}.npz"
        held = {f"c{number}_{name}": array for name, array in call.inputs.items()}
        out  = f"c{number}_{call.output}"
        arrays.setdefault(file, {}).update(held | {out: case.expected()})
        entries.append({
            "id": f"{call.function}/{number}", "dialect": case.dialect, "function": call.function,
            "file": file, "config": call.config,
            "inputs": {name: f"c{number}_{name}" for name in call.inputs},
            "expected": {call.variant: {call.output: out}}})
    text = ",\n".join(json.dumps(entry) for entry in entries)
    with fill_folder(folder):
        for file, held in arrays.items():
            with write_whole(folder / file) as path, path.open("wb") as stream:
                write_arrays(stream, held)
        write_file(folder / INDEX, f"[{text}]\n")

# SPDX-License-Identifier: Apache-2.0
"""An excerpt from reference vectors, as stored in ``host/kit/data``.

``python -m xymac.host.kit.stimuli.excerpt FOLDER -o DIR`` writes them.

It selects COUNT evenly spread cases for every function with an operation in the kit.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from xymac.host.files.arrays import save_arrays
from xymac.host.kit.operations import operation_of
from xymac.host.vectors.files import INDEX, read_arrays, read_cases

from .recorded import convert_entry

__all__ = ["write_excerpt"]


def write_excerpt(folder: Path, target: Path, count: int) -> int:
    """Write ``count`` cases for every function in ``folder``, folders in it included, to the folder
    ``target``; returns how many there are."""
    entries, arrays = [], {}
    for index in sorted(Path(folder).rglob(INDEX)):
        raw   = {entry["id"]: entry for entry in json.loads(index.read_text(encoding="utf-8"))}
        kinds = {}
        for case in read_cases(index.parent):
            if any(operation_of(each.layer) for each in convert_entry(case)):
                kinds.setdefault((case.dialect, case.function), []).append(case)
        for cases in kinds.values():
            for case in cases[::-(-len(cases) // count)]:
                entries.append(raw[case.id] | {"file": f"{case.dialect}.npz"})
                arrays.setdefault(case.dialect, {}).update(_rename(entries[-1], case))
    target = Path(target)
    target.mkdir(parents=True, exist_ok=True)
    for dialect, held in arrays.items():
        save_arrays(target / f"{dialect}.npz", held)
    text = ",\n".join(json.dumps(entry) for entry in entries)
    (target / INDEX).write_text(f"[{text}]\n", encoding="utf-8")
    return len(entries)


def _rename(entry, case):
    """A case's arrays with prefixed keys; the keys in ``entry`` change accordingly."""
    held = {f"{case.id}/{key}": array for key, array in sorted(read_arrays(case).items())}
    entry["inputs"]   = {name: f"{case.id}/{key}" for name, key in case.inputs.items()}
    entry["expected"] = {variant: {name: f"{case.id}/{key}" for name, key in outputs.items()}
                         for variant, outputs in case.expected.items()}
    return held


def _main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", help="reference vectors")
    parser.add_argument("-o", "--output", required=True, help="folder to write to")
    parser.add_argument("--count", type=int, default=2, help="cases of a function (default: 2)")
    options = parser.parse_args()
    write_excerpt(options.folder, options.output, options.count)


if __name__ == "__main__":
    _main()

# SPDX-License-Identifier: Apache-2.0
"""Cases of tflite-micro: ``python -m tests.support.tflite.vectors -o tests/vectors/tflm``.

They are random networks of one operator, run by the reference kernels in the wheel of tflite-micro,
which this needs. Floating point is left out: it is the host's. LiteRT runs the operators that
tflite-micro lacks.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from xymac.host.tflite.model import TYPES
from xymac.host.tflite.writer import write_model
from xymac.host.vectors.files import INDEX
from xymac.host.vectors.tflm import DIALECT, VARIANT, describe_model

from .beyond import BEYOND
from .litert import run_litert
from .micro import run_file
from .wild import ALL

__all__ = ["LITERT", "main"]

COUNT = 6  #: Cases of every operator.
DRAWN = ALL | BEYOND


def _title(name):
    return name.lower().replace(" ", "_")


LITERT = {*map(_title, BEYOND)}  #: First parts of the ids of cases that LiteRT computed.


def _inputs(model, rng):
    """Random arrays of the types of a Model's inputs."""
    for number in model.inputs:
        dtype = TYPES[model.tensors[number].type]
        limit = 1 if dtype.kind == "b" else 1 << 8 * min(dtype.itemsize, 2) - 1
        yield rng.integers(-limit, limit, model.tensors[number].shape).astype(dtype)


def _cases(name):
    """Entries of an index and arrays for an operator."""
    function, title = name.split()[0], _title(name)
    entries, arrays = [], {}
    for key in range(COUNT):
        rng   = np.random.default_rng((key, 11, *name.encode()))
        model = DRAWN[name](rng)
        if any(tensor.type.name == "FLOAT32" for tensor in model.tensors):
            continue
        inputs  = [*_inputs(model, rng)]
        outputs = (run_file if name in ALL else run_litert)(write_model(model), *inputs)
        for index, output in enumerate(outputs):
            config, constants = describe_model(model, index)
            given  = constants | {str(number): data for number, data
                                  in zip(model.inputs, inputs, strict=True)}
            prefix = f"c{key:03}"
            arrays |= {f"{prefix}_{number}": data for number, data in given.items()}
            arrays[f"{prefix}_out{index}"] = output
            entries.append({
                "id": f"{title}/{len(entries)}", "dialect": DIALECT,
                "function": function, "file": f"{title}.npz", "config": config,
                "inputs": {number: f"{prefix}_{number}" for number in given},
                "expected": {VARIANT: {"out": f"{prefix}_out{index}"}}})
    return entries, arrays


def main(arguments=None):
    """Write the index and a file of arrays for every operator."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.tflite.vectors",
                                     description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, required=True)
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for name in DRAWN:
        entries, arrays = _cases(name)
        index += entries
        if entries:
            np.savez_compressed(folder / entries[0]["file"], **arrays)
    text = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in index)
    (folder / INDEX).write_text(f"[{text}]\n")


if __name__ == "__main__":
    main()

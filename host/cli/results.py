# SPDX-License-Identifier: Apache-2.0
"""Files written by ``xymac run``: outputs as arrays, layers as JSON."""

import json
from pathlib import Path

import numpy as np

from xymac.host.cli.show.layers import STALLS
from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file, write_whole
from xymac.host.files.arrays import name_member, save_arrays
from xymac.host.network.cost import total_cost

__all__ = ["as_json", "check_outputs", "save_json", "save_outputs"]

_NAME = 16_000  #: Characters of an array name, without a number suffix.


def check_outputs(path, network):
    """Raise InputError unless a Network's outputs can be written to ``path``."""
    suffix, count = Path(path).suffix.lower(), len(network.outputs)
    if suffix not in (".npy", ".npz"):
        raise InputError(f"The file of outputs must end in .npy or .npz, not {path}")
    if suffix == ".npy" and count > 1:
        raise InputError(f"{network.name} has {count} outputs: their file must end in .npz, "
                         f"not be {path}")
    check_writable(path)


def save_outputs(path, network, outputs):
    """Write a Network's outputs, a tuple of arrays per image, as arrays with a row per image.

    An .npz file has an array for every output name.
    """
    rows = [np.stack(each) for each in zip(*outputs, strict=True)]
    rows = [each[:, 0] if network.numbers and each.ndim > 2 and each.shape[1] == 1 else each
            for each in rows]
    if Path(path).suffix.lower() == ".npz":
        save_arrays(path, dict(zip(_distinct(network.output_names), rows, strict=True)))
        return
    with write_whole(path) as partial, partial.open("wb") as file:
        np.save(file, rows[0])


def _distinct(names):
    """Array names, made unique: a repeated name gets a number at its end."""
    known = []
    for name in names:
        wanted = name_member(name)[:_NAME] or "output"
        while wanted in known:
            wanted += f"_{len(known)}"
        known.append(wanted)
    return known


def save_json(path, content):
    """Write the content from ``as_json``."""
    write_file(path, json.dumps(content, indent=1) + "\n")


def as_json(options, network, inference, costs, traffic):
    """Results as JSON-serialisable values, with the last image's cycles."""
    total = total_cost(costs)
    counted, compared = total.counters is not None, bool(inference.facts)
    difference = inference.difference
    return {
        "network": network.name, "backend": options.backend, "size": options.size,
        "images": len(inference.predictions),
        "cycles": total.cycles if counted else None, "ideal": total.ideal,
        "equal": (difference is None) if compared else None,
        "compared": inference.compared,
        "difference": None if difference is None else {
            "image": difference.image, "layer": difference.layer, "what": difference.what,
            "expected": difference.expected, "actual": difference.actual},
        "predictions": inference.predictions,
        "host": None if traffic is None else traffic.as_json(),
        "layers": [_layer_json(network, index, cost) for index, cost in enumerate(costs)]}


def _layer_json(network, index, cost):
    counted, facts = cost.counters is not None, cost.facts
    entry = {
        "number": index if cost.number is None else cost.number,
        "operator": network.operators[index], "name": cost.name,
        "shape": list(network.values[network.first + index].shape), "type": cost.type,
        "cycles": cost.cycles if counted else None, "ideal": cost.ideal,
        "used": cost.ideal / cost.cycles if counted and cost.cycles else None,
        "stalls": {name: cost.counters[name] for name in STALLS} if counted else None}
    if facts is not None:
        entry |= {"passes": facts.passes, "segments": facts.segments, "tiles": facts.tiles,
                  "moved": facts.moved, "loaded": facts.loaded, "renamed": facts.renamed,
                  "host": facts.host}
    return entry | {"remarks": cost.remarks}

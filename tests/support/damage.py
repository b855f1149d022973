# SPDX-License-Identifier: Apache-2.0
"""Damaged files: bytes changed or cut off, arrays and JSON values changed within their formats."""

import io
import json
import zipfile

import numpy as np

__all__ = ["damage_archive", "damage_bytes", "damage_json"]

#: Values that a JSON value may become.
_VALUES = (None, True, -1, 0, 1, 3, 255, 1 << 16, 1 << 31, 1 << 70, -(1 << 63), 0.5, 1e400, "",
           "x", "int8", [], [-1], [1 << 40, 2], {}, {"x": 1})


def damage_bytes(data, rng):
    """``data`` cut off, or with some bytes or words changed."""
    kind, changed = rng.integers(4), bytearray(data)
    if kind == 0:
        return data[:rng.integers(len(data))]
    for _ in range(rng.integers(1, 5)):
        if kind == 1 or len(data) < 8:
            changed[rng.integers(len(data))] = rng.integers(256)
            continue
        place = 4 * int(rng.integers(len(data) // 4))
        near  = int.from_bytes(changed[place:place + 4], "little") + int(rng.integers(-64, 65))
        wrong = near if kind == 2 else int(rng.choice([0, 1, len(data), 2**31 - 1, 2**31, -1]))
        changed[place:place + 4] = (wrong % 2**32).to_bytes(4, "little")
    return bytes(changed)


def damage_json(text, rng):
    """JSON with one value replaced, taken away or doubled."""
    content = json.loads(text)
    holders = list(_holders(content))
    holder  = holders[rng.integers(len(holders))]
    keys    = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key     = keys[rng.integers(len(keys))]
    kind    = rng.integers(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif kind == 2 and isinstance(holder[key], int):
        holder[key] += int(rng.integers(-3, 4)) * int(rng.choice([1, 16, 1000]))
    else:
        holder[key] = _VALUES[rng.integers(len(_VALUES))]
    return json.dumps(content)


def damage_archive(data, rng, text=None):
    """An .npz whose members are damaged, or which is; ``text`` names a member that is JSON."""
    kind = rng.integers(4)
    if kind == 0:
        return damage_bytes(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = list(members)[rng.integers(len(members))]
    if kind == 1:
        members[name] = damage_bytes(members[name], rng)
    elif kind == 2 and text is not None:
        members[f"{text}.npy"] = _stored(np.array(damage_json(
            str(np.load(io.BytesIO(members[f"{text}.npy"]))), rng)))
    else:
        members[name] = _stored(_other_array(np.load(io.BytesIO(members[name])), rng))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return out.getvalue()


def _holders(content):
    """All lists and dicts in a JSON value that hold something."""
    if isinstance(content, dict | list) and content:
        yield content
        for each in content.values() if isinstance(content, dict) else content:
            yield from _holders(each)


def _other_array(array, rng):
    """An array of another type, shape or content."""
    kind = rng.integers(4)
    if kind == 0 and array.dtype.kind != "U":
        return array.astype([np.float64, np.int64, np.uint8, "<U3", bool][rng.integers(5)])
    if kind == 1:
        return array.reshape(-1)[:rng.integers(array.size + 1)]
    if kind == 2:
        return array[np.newaxis]
    changed = bytearray(array.tobytes())
    for _ in range(4):
        if changed:
            changed[rng.integers(len(changed))] = rng.integers(256)
    return np.frombuffer(bytes(changed), array.dtype).reshape(array.shape)


def _stored(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()

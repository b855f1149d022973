# SPDX-License-Identifier: Apache-2.0
"""A network as a driver needs it: a ``.json`` that says what to do, an ``.npz`` of what is written.

``network.json``::

    {"format": 2, "network": "digits_cnn", "size": "base", "arrays": "network.npz", "sha256": "...",
     "operators": ["CONV_2D", ...], "tflite": true,
     "inputs": [{"name": "x", "value": 0}], "outputs": [{"name": "y", "value": 9}],
     "values": {"0": {"shape": [1, 8, 8, 1], "type": "int8", "scale": 0.1, "zero_point": -128}},
     "states": [{"value": 10, "array": "state7"}], "load": [...], "run": [...]}

The steps of ``load`` are done once, those of ``run`` for every input. Arrays are keys of the .npz,
cells are words of 16 bits of a memory, X or Y, in the linear order of the address map. ``states``
are values that stay from input to input, with what they are before the first; ``constants`` those
that never change.

| ``do`` | what |
|---|---|
| ``cells`` | write ``array`` (uint16) to ``memory`` from cell ``first`` on |
| ``table`` | write ``array`` (int16) to table memory from entry ``first`` on |
| ``place`` | table ``table`` has ``entries`` from ``first`` on, element 0 at ``offset`` behind |
| ``program`` | write ``array`` (uint64, 16 words a pass) to program memory from pass 0 on |
| ``start`` | start at pass 0, wait for the interrupt, clear |
| ``write`` | write a value: ``cells`` cells of zeros, its elements at ``places``; see ``takes`` |
| ``read`` | read a value: ``cells`` cells, of which its elements are those at ``places`` |
| ``quantise``, ``dequantise`` | the host computes value ``to`` of ``value`` |
| ``copy`` | value ``to`` has the elements of ``value``, in its own shape |
| ``compute`` | the host computes ``to`` of ``values`` by ``kernel``, ``fields`` of golden.tflm |

``write`` and ``read`` have ``memory`` and ``first`` as ``cells`` has. ``places`` is the key of an
int32 array, one place an element in the order of the value, counted in bytes for elements of 8
bits, the lower byte of a cell first, else in cells; -1 for one that is left out. An element that is
written to several places has ``takes``, the key of another such array: for every place the number
of the element in that order, or -1 for ``fill``. With ``less`` elements are uint8, and lie there
less 128, as int8. With ``part`` it is a part of the value, [first,
end] along each dimension. ``layout`` says in words how they lie. Values that are read and written
again stay with the host in between.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_whole
from xymac.host.files.arrays import load_arrays, write_arrays
from xymac.host.files.reading import read_file, read_json

__all__ = ["ARRAYS", "DESCRIPTION", "FORMAT", "Compiled", "check_folder", "load_compiled",
           "save_compiled"]

FORMAT      = 2
DESCRIPTION = "network.json"
ARRAYS      = "network.npz"


@dataclass(frozen=True)
class Compiled:
    """What the two files hold.

    Parameters
    ----------
    description : dict, see above
    arrays : dict of arrays
    """

    description: dict
    arrays:      dict


def check_folder(folder):
    """Raise InputError unless both files can be written to ``folder``, which may be missing: a
    folder with one of the two alone stays as it is."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"Cannot write {folder}: it is a file")
    here = [name for name in (DESCRIPTION, ARRAYS) if (folder / name).exists()]
    if len(here) == 1:
        raise InputError(f"Cannot write {folder}: it holds {here[0]} alone, which would be "
                         f"overwritten by half of something else")
    if folder.is_dir():
        for name in (DESCRIPTION, ARRAYS):
            check_writable(folder / name)
    else:
        check_writable(folder)


def save_compiled(folder, compiled):
    """Write both files to ``folder``, which is made if it is not there; none is left if that fails.
    """
    folder = Path(folder)
    check_folder(folder)
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with (write_whole(folder / ARRAYS) as arrays,
              write_whole(folder / DESCRIPTION) as description):
            with arrays.open("wb") as file:
                write_arrays(file, compiled.arrays)
            content = compiled.description | {"sha256": _digest(arrays)}
            description.write_text(json.dumps(content, indent=1) + "\n")
    except BaseException:
        if is_new:
            folder.rmdir()
        raise


def load_compiled(folder):
    """Read what ``save_compiled`` wrote; InputError if it is missing, damaged or of two minds."""
    folder = Path(folder)
    path   = folder / DESCRIPTION
    if not path.is_file():
        raise InputError(f"{folder} holds no {DESCRIPTION}: it is no compiled network")
    description = read_json(path)
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise InputError(f"{path} must have format {FORMAT}")
    arrays = load_arrays(folder / ARRAYS)
    if _digest(folder / ARRAYS) != description.get("sha256"):
        raise InputError(f"{folder / ARRAYS} is not the file that {path} belongs to")
    return Compiled(description, arrays)


def _digest(path):
    return hashlib.sha256(read_file(path)).hexdigest()

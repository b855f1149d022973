# SPDX-License-Identifier: Apache-2.0
"""An executable as two files: a ``.json`` with values and steps, an ``.npz`` with constants.

``network.json``::

    {"format": 3, "network": "digits_cnn", "size": "base", "arrays": "network.npz", "sha256": "...",
     "operators": ["CONV_2D", ...], "tflite": true,
     "inputs": [{"name": "x", "value": 0}], "outputs": [{"name": "y", "value": 9}],
     "values": {"0": {"shape": [1, 8, 8, 1], "type": "int8", "scale": 0.1, "zero_point": -128}},
     "states": [{"value": 10, "array": "state7"}], "constants": [], "tables": [], "load": [...],
     "run": [...]}

``load`` steps run once, ``run`` steps for every input. Arrays are named by their .npz keys. Cells
are 16-bit words in a memory, X or Y, in the address map's linear order. ``states`` are values that
persist between inputs, with their initial contents; ``constants`` are values with their contents
before each input. ``tables`` are built-in tables that programs look up, for a core without initial
values: ``entries`` entries from ``array`` (int16), starting at entry ``first`` in table memory,
with element 0 at ``offset`` from there, for the code ``table``.

| ``do`` | step |
|---|---|
| ``load`` | write ``array`` to ``region``, starting at ``first``; see below |
| ``write`` | write a value: ``cells`` zero cells, then its elements at ``places``; see ``takes`` |
| ``start`` | start at pass 0, wait for the interrupt, clear |
| ``read`` | read a value: ``cells`` cells, with its elements at ``places`` |
| ``host`` | the host computes ``to`` from ``values`` with ``kernel`` |

| ``region`` | ``array`` | ``first`` |
|---|---|---|
| ``X``, ``Y`` | uint16, cells | cell |
| ``PROGRAM`` | uint64, 16 words a pass | pass |
| ``TABLES`` | int16, table memory entries | entry |
| ``PLACES`` | int32, first entry, entries, offset of element 0 | table code |

``write`` and ``read`` have ``memory`` and ``first``, a cell. ``places`` names an int32 array with
an index for each element, in the value's order: a byte index for 8-bit elements, the lower byte of
a cell first, else a cell index; -1 for an omitted element. A 32-bit element has two cell indices:
for its lower 16 bits, stored minus 32,768, then for its upper 16 bits. An element written to
several indices has ``takes``, the name of another int32 array: for each index the element's
number, or -1 for ``fill``. A write with ``pieces`` (int64) writes elements minus ``zero`` to
several cells each: for each cell twice its element's number, plus 1 for bits 16 and up; -1 for a
zero. With ``less``, elements are uint8, stored minus 128 as int8. With ``part``, a step applies to
a part of the value, [first, end] along each dimension.

The kernel ``copy`` copies the value to ``to``; ``take`` gives ``to`` the first value's elements at
the flat indices in the second value; other kernels are xymac.golden.tflm layers with their
``fields``. The host keeps values that are read and later written again.
"""

import hashlib
import json
from pathlib import Path

from xymac.host.errors import InputError, translate_refusals
from xymac.host.files import check_writable, write_whole
from xymac.host.files.arrays import load_arrays, write_arrays
from xymac.host.files.foreign import check_network_folder
from xymac.host.files.reading import read_file, read_json

from .description import describe, read_description

__all__ = ["ARRAYS", "DESCRIPTION", "check_folder", "load_compiled", "save_compiled"]

FORMAT      = 3
DESCRIPTION = "network.json"
ARRAYS      = "network.npz"


def check_folder(folder):
    """Raise InputError unless both files can be written to ``folder``, which may be missing.

    A folder with only one of the two files is refused.
    """
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


def save_compiled(folder, executable):
    """Write an Executable to ``folder``, which is created if necessary; a failure leaves no file.
    """
    folder = Path(folder)
    check_folder(folder)
    content, constants = describe(executable)
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with (write_whole(folder / ARRAYS) as arrays,
              write_whole(folder / DESCRIPTION) as description):
            with arrays.open("wb") as file:
                write_arrays(file, constants)
            content = {"format": FORMAT, "arrays": ARRAYS, "sha256": _digest(arrays)} | content
            description.write_text(json.dumps(content, indent=1) + "\n")
    except BaseException:
        if is_new:
            folder.rmdir()
        raise


def load_compiled(folder):
    """The Executable written by ``save_compiled``.

    InputError if a file is missing, damaged, from another version or another network.
    """
    folder = Path(folder)
    path   = folder / DESCRIPTION
    if not path.is_file():
        check_network_folder(folder)
        if (folder / "image.json").is_file():
            raise InputError(f"{folder} holds an image for a core with a DMA: `xymac run NET "
                             f"--dma` runs its network NET")
        raise InputError(f"{folder} holds no {DESCRIPTION}: it is no compiled network")
    description = read_json(path)
    version = description.get("format") if isinstance(description, dict) else None
    if version != FORMAT:
        raise InputError(f"{path} must have format {FORMAT}, not {version}: compile the network "
                         f"again with this version of xymac")
    arrays = load_arrays(folder / ARRAYS)
    if _digest(folder / ARRAYS) != description.get("sha256"):
        raise InputError(f"{folder / ARRAYS} is not the file that {path} belongs to")
    with translate_refusals("The compiled network", Exception):
        return read_description(description, arrays)


def _digest(path):
    return hashlib.sha256(read_file(path)).hexdigest()

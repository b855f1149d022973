# SPDX-License-Identifier: Apache-2.0
"""Arrays in .npy and .npz files with any names and bounded size."""

import sys
import warnings
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from xymac.host.errors import InputError

from .reading import check_bytes, check_file
from .whole import write_whole

__all__ = ["find_only", "load_array", "load_arrays", "name_member", "save_arrays", "write_arrays"]

_SUFFIX  = ".npy"
_LONGEST = 65_000  #: Longest archive member name, bytes.
_PICKLED = "allow_pickle"  #: In numpy's message on an array of Python objects.


def load_array(path):
    """An .npy file's array; InputError if the file is missing, damaged or too large."""
    with _open(path, "an .npy file") as file:
        check_bytes(path, Path(path).stat().st_size)
        return _read_array(file)


def load_arrays(path, names=None):
    """Arrays of an .npz file, a dict by name.

    Parameters
    ----------
    path : Path or str
    names : str collection, the arrays to read if present; None for all

    InputError if the file is missing, damaged, or larger than the limit; the size is checked before
    unpacking.
    """
    with _open(path, "an .npz file") as file, zipfile.ZipFile(file) as archive:
        members = {member.filename.removesuffix(_SUFFIX): member for member in archive.infolist()}
        members = {name: member for name, member in members.items()
                   if names is None or name in names}
        check_bytes(path, sum(member.file_size for member in members.values()))
        arrays = {}
        for name, member in members.items():
            with archive.open(member) as stream:
                arrays[name] = _read_array(stream)
        return arrays


def find_only(path, content, arrays, names):
    """The only array in the dict ``arrays`` whose name is in ``names``; None without such an array.

    InputError if ``arrays``, read from the file ``path``, have several of the names; its sentence
    calls it ``content``.
    """
    found = [name for name in names if name in arrays]
    if len(found) > 1:
        raise InputError(f"{path} must hold a single array of {content}, not {len(found)}: "
                         f"{', '.join(map(repr, found))}")
    return arrays[found[0]] if found else None


def save_arrays(path, arrays):
    """Write a compressed .npz to ``path`` at once: a failure leaves the old file or none."""
    with write_whole(path) as partial, partial.open("wb") as file:
        write_arrays(file, arrays)


def write_arrays(file, arrays):
    """Write a compressed .npz with a dict of arrays to a binary ``file``.

    Names can be any str with distinct ``name_member``; ``np.savez`` reserves some names.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name_member(name) + _SUFFIX)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def name_member(name):
    r"""Archive member name of the array ``name``.

    An archive name ends at its first NUL, which is therefore written as ``\x00``, like characters
    outside UTF-8; it has at most 65,535 bytes.
    """
    text = name.replace("\0", "\\x00").encode("utf-8", "backslashreplace")
    return text[:_LONGEST].decode("utf-8", "ignore")


def _read_array(stream):
    """The array in this computer's byte order; ValueError for text without characters, which Python
    cannot hold.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers of another Python version
        array = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes = np.ascontiguousarray(array).reshape(-1).view(f"{array.dtype.byteorder}u4")
        if codes.size and codes.max() > sys.maxunicode:
            raise ValueError(f"There is no character {codes.max():#x}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@contextmanager
def _open(path, kind):
    """The opened file; whatever is raised while it is read becomes an InputError."""
    path = Path(path)
    check_file(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}") from error
    with file:
        try:
            yield file
        except InputError:
            raise
        except Exception as error:  # Libraries document no exceptions for damaged files.
            if _PICKLED in str(error):
                raise InputError(f"{path} holds arrays of Python objects, which are not read: save "
                                 f"them with a type of numbers or texts, as in "
                                 f"x.astype(np.float32)") from None
            raise InputError(f"{path} is damaged or not {kind}") from None

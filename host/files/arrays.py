"""Arrays in .npy and .npz files, whatever their names, bounded where they are read."""

import sys
import warnings
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from host.errors import InputError

from .reading import check_bytes
from .whole import write_whole

__all__ = ["load_array", "load_arrays", "name_member", "save_arrays", "write_arrays"]

_SUFFIX  = ".npy"
_LONGEST = 65_000  #: Bytes of a name in an archive.


def load_array(path):
    """The array of an .npy file; InputError if the file is missing, damaged or too large."""
    with _open(path, "an .npy file") as file:
        check_bytes(path, Path(path).stat().st_size)
        return _read_array(file)


def load_arrays(path, names=None):
    """Arrays of an .npz file by their names, a dict.

    Parameters
    ----------
    path : Path or str
    names : collection of str, those that are read if they are there; None for all

    InputError if the file is missing, damaged, or holds more bytes than the limit: they are counted
    before the first one is unpacked.
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


def save_arrays(path, arrays):
    """Write a compressed .npz to ``path`` at once: a failure leaves the old file or none."""
    with write_whole(path) as partial, partial.open("wb") as file:
        write_arrays(file, arrays)


def write_arrays(file, arrays):
    """Write a compressed .npz of a dict of arrays to a binary ``file``.

    Names may be any str whose ``name_member`` differ: ``np.savez`` takes some for itself.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name_member(name) + _SUFFIX)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def name_member(name):
    """What an array of a name, a str, is called in an archive.

    An archive ends a name at its first NUL, which is written as ``\\x00``, as is what UTF-8 lacks;
    and it has no room for more than 65,535 bytes.
    """
    text = name.replace("\0", "\\x00").encode("utf-8", "backslashreplace")
    return text[:_LONGEST].decode("utf-8", "ignore")


def _read_array(stream):
    """The array; ValueError for text of no characters, which Python cannot hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that another Python wrote
        array = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U" and array.dtype.itemsize:
        codes = np.ascontiguousarray(array).reshape(-1).view(f"{array.dtype.byteorder}u4")
        if codes.size and codes.max() > sys.maxunicode:
            raise ValueError(f"There is no character {codes.max():#x}")
    return array


@contextmanager
def _open(path, kind):
    """The opened file; whatever is raised while it is read becomes an InputError."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}")
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}") from error
    with file:
        try:
            yield file
        except InputError:
            raise
        except Exception:  # What libraries raise for a damaged file is documented nowhere.
            raise InputError(f"{path} is damaged or not {kind}") from None

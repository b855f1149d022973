# SPDX-License-Identifier: Apache-2.0
"""Reference vectors: read a folder and select cases."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import NoneType

from xymac.host.errors import InputError, check_int, check_path, check_type, suggest
from xymac.host.files.arrays import load_arrays
from xymac.host.files.reading import read_json
from xymac.host.plural import plural

__all__ = ["INDEX", "Case", "VectorError", "read_arrays", "read_cases", "select_cases"]

INDEX = "index.json"
_KEYS = {"id": str, "dialect": str, "function": str, "file": str, "config": dict, "inputs": dict,
         "expected": dict}


class VectorError(InputError):
    """An unusable vector folder: missing, damaged, or without a selected case."""


@dataclass(frozen=True)
class Case:
    """A library function call and its result.

    Parameters
    ----------
    id, dialect, function : str
    path : Path, the .npz file
    config : dict, parameters in the library's terms
    inputs : {argument: array key}
    expected : {variant: {output: array key}}
    """

    id:       str
    dialect:  str
    function: str
    path:     Path
    config:   dict
    inputs:   dict
    expected: dict


def read_cases(folder):
    """Cases of the ``index.json`` in ``folder``, in its order; VectorError if it is unusable."""
    check_path("folder", folder, "folder")
    path = Path(folder) / INDEX
    if not path.is_file():
        raise VectorError(f"Vector folder {folder} has no readable {INDEX}" if path.parent.is_dir()
                          else f"There is no vector folder {folder}")
    entries = read_json(path)
    if not isinstance(entries, list):
        raise VectorError(f"{path} must hold a list of cases, not {type(entries).__name__}")
    return [_read_case(path, number, entry) for number, entry in enumerate(entries)]


def _read_case(path, number, entry):
    for key, kind in _KEYS.items():
        if not isinstance(entry, dict) or not isinstance(entry.get(key), kind):
            raise VectorError(f"Case {number} of {path} must have {key!r} of type {kind.__name__}")
    if not entry["expected"]:
        raise VectorError(f"Case {number} of {path} must have expected outputs")
    for keys in (entry["inputs"], *entry["expected"].values()):
        if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
            raise VectorError(f"Case {number} of {path} must name its arrays, not {keys!r}")
    fields = {key: entry[key] for key in _KEYS if key != "file"}
    return Case(path=path.parent / entry["file"], **fields)


def select_cases(cases, *, dialect=None, match="*", variant=None, limit=None):
    """The first ``limit`` cases of ``dialect`` whose function matches the glob ``match``.

    A ``variant`` drops cases without it. VectorError if no case is left.
    """
    check_type("cases", cases, list, tuple, hint=": read_cases reads a folder")
    check_type("match", match, str)
    for name, value in (("dialect", dialect), ("variant", variant)):
        check_type(name, value, str, NoneType)
    if limit is not None:
        check_int("limit", limit, 1)
    selected = [case for case in cases
                if dialect in (None, case.dialect) and fnmatchcase(case.function, match)
                and (variant is None or variant in case.expected)]
    if not selected:
        names = {case.function for case in cases}
        raise VectorError(f"None of {plural(len(cases), 'case')} has dialect {dialect or 'any'}, "
                          f"function {match} and variant {variant or 'any'}{suggest(match, names)}")
    return selected[:limit]


def read_arrays(case):
    """Arrays of ``case`` by their key in the file; VectorError if an array is missing."""
    keys = {*case.inputs.values(), *(key for outputs in case.expected.values()
                                     for key in outputs.values())}
    if not case.path.is_file():
        raise VectorError(f"{case.path}, which {case.id} needs, does not exist")
    arrays  = load_arrays(case.path, keys)
    missing = sorted(keys - arrays.keys())
    if missing:
        raise VectorError(f"{case.path} has no array {missing[0]!r}, which {case.id} needs")
    return arrays

# SPDX-License-Identifier: Apache-2.0
"""Mutants equal to the source for every input, each with its reason.

``equivalent.json`` is reviewed: an entry whose mutant is gone, or noticed by a test, is an error.
"""

import json
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["PATH", "read_equivalents", "stale_entries"]

PATH = Path(__file__).with_name("equivalent.json")

_FIELDS = {"file", "function", "mutation", "reason"}


def read_equivalents(path=PATH):
    """{(file, function, mutation): reason}; InputError if the file has another form."""
    try:
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"Equivalent mutants cannot be read from {path}: {error}") from error
    found = {}
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, dict) or entry.keys() != _FIELDS or not all(
                isinstance(value, str) for value in entry.values()):
            raise InputError(f"An entry of {path} must have {', '.join(sorted(_FIELDS))} as texts, "
                             f"not be {entry!r}")
        if not entry["reason"].strip():
            raise InputError(f"An entry of {path} has no reason: {entry['mutation']}")
        key = entry["file"], entry["function"], entry["mutation"]
        if key in found:
            raise InputError(f"{path} has an entry twice: {entry['mutation']}")
        found[key] = entry["reason"]
    return found


def stale_entries(equivalents, mutants, results):
    """Sentences on wrong entries for the mutated files, a list of str.

    ``mutants`` are all Mutants in these files, ``results`` the Results for some.
    """
    files = {mutant.file for mutant in mutants}
    known = {(mutant.file, mutant.function, mutant.text) for mutant in mutants}
    killed = {(result.file, result.function, result.text): result for result in results
              if result.is_killed}
    wrong = []
    for key in equivalents:
        if key[0] in files and key not in known:
            wrong.append(f"{key[0]}, {key[1]}: there is no mutant {key[2]!r}")
        if key in killed:
            wrong.append(f"{killed[key].name}: not equivalent, {killed[key].by} notices it")
    return wrong

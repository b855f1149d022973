# SPDX-License-Identifier: Apache-2.0
"""A piece's outcome, and a result store by dependencies."""

import hashlib
import json
import logging
import re
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file

__all__ = ["GOOD", "Result", "Results", "key_of"]

_log = logging.getLogger("xymac.regress")

GOOD = ("passed", "skipped")  #: Outcomes without a failure.


@dataclass(frozen=True)
class Result:
    """A piece's outcome with a seed.

    Parameters
    ----------
    key : str, see ``key_of``
    kind, name : str, as in the piece
    seed : int, regression seed
    command : str, shell command to repeat the piece
    outcome : str, "passed", "skipped" if all its tests were skipped, "failed", or "lost" if its
        workers died
    passed, failed, skipped : int, tests, or checks of reference calls
    seconds : float, duration
    where : str, computer and process
    output : str, its last lines, if it failed or has remarks
    counted : dict of int by name (str), random stimuli counted by its tests
    places : dict of digests (str) by place (str) that its counts depend on; empty if one changed
        meanwhile
    is_kept : bool, whether it comes from an earlier run
    """

    key:     str
    kind:    str
    name:    str
    seed:    int
    command: str
    outcome: str
    passed:  int = 0
    failed:  int = 0
    skipped: int = 0
    seconds: float = 0.0
    where:   str = ""
    output:  str = ""
    counted: dict = field(default_factory=dict)
    places:  dict = field(default_factory=dict)
    is_kept: bool = field(default=False, compare=False)

    @property
    def is_good(self):
        """Whether nothing failed."""
        return self.outcome in GOOD


def key_of(piece, seed, environment):
    """The key for a Piece's result with a seed in an Environment, a digest."""
    parts = [piece.line(seed), environment.versions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class Results:
    """A folder with results for passed pieces, shared by runs and computers.

    Other results are not stored, because their causes, such as a full disk or a missing tool, may
    not lie in the sources. InputError if the folder is not writable.
    """

    def __init__(self, folder):
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"Cannot keep results in {folder}: {error.strerror}") from error
        check_writable(self._folder / "probe.json")

    def get(self, key):
        """Stored Result with ``key``, or None; a damaged file counts as missing."""
        return _read(self._path(key))

    def stored(self):
        """All stored Results, for any sources, in key order."""
        results = map(_read, sorted(self._folder.glob("*.json")))
        return [result for result in results if result is not None]

    def keep(self, result):
        """Store a passed Result; logs a warning if the folder cannot be written."""
        if result.outcome != "passed":
            return
        try:
            write_file(self._path(result.key), json.dumps(asdict(result), indent=1) + "\n")
        except InputError as error:
            _log.warning("Results are not kept for later runs: %s", _reason(error, self._folder))

    def _path(self, key):
        return self._folder / f"{key}.json"


def _read(path):
    """Passed Result from its key's file; None if the file is missing or damaged."""
    try:
        result = Result(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, RecursionError, TypeError, ValueError):
        return None
    is_one = result.key == path.stem and result.outcome == "passed" and _is_typed(result)
    return replace(result, is_kept=True) if is_one else None


def _is_typed(result):
    """Whether a Result's values have the types of its fields."""
    for each in fields(Result):
        value = getattr(result, each.name)
        wanted = (int, float) if each.type is float else each.type
        if not isinstance(value, wanted) or (isinstance(value, bool) and each.type is not bool):
            return False
    return all(type(count) is int for count in result.counted.values())


def _reason(error, folder):
    """Error text with the folder in place of a file name, so that it is logged once."""
    return re.sub(rf"{re.escape(str(folder))}/\w+\.json", str(folder), str(error))

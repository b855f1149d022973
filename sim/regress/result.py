# SPDX-License-Identifier: Apache-2.0
"""What became of a piece, and results that are kept as files by what they depend on."""

import hashlib
import json
import logging
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_file

__all__ = ["GOOD", "Result", "Results", "key_of"]

_log = logging.getLogger("xymac.regress")

GOOD = ("passed", "skipped")  #: Outcomes of a piece in which nothing failed.


@dataclass(frozen=True)
class Result:
    """Outcome of a piece with a seed.

    Parameters
    ----------
    key : str, see ``key_of``
    kind, name : str, of the piece
    seed : int, of the regression
    command : str, that repeats the piece alone
    outcome : str, "passed", "skipped" if all of its tests were, "failed", or "lost" if its workers
        died
    passed, failed, skipped : int, tests, or checks of reference calls
    seconds : float, that it took
    where : str, the computer and process
    output : str, its last lines, if it did not pass or has something to say
    is_kept : bool, taken from an earlier run
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
    is_kept: bool = field(default=False, compare=False)

    @property
    def is_good(self):
        """Whether nothing failed."""
        return self.outcome in GOOD


def key_of(piece, seed, surroundings):
    """Name of the result of a Piece with a seed in Surroundings, a digest."""
    parts = [piece.line(seed), surroundings.versions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


class Results:
    """A folder of results of pieces that passed, which runs and computers share.

    What did not pass is not kept: a full disk or a missing tool, say, is no property of the
    sources. InputError if the folder cannot be written.
    """

    def __init__(self, folder):
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"Cannot keep results in {folder}: {error.strerror}") from error
        check_writable(self._folder / "probe.json")

    def get(self, key):
        """The Result that is kept by ``key``, or None; a damaged file counts as none."""
        try:
            result = Result(**json.loads(self._path(key).read_text(encoding="utf-8")))
        except (OSError, RecursionError, TypeError, ValueError):
            return None
        is_one = result.key == key and result.outcome == "passed"
        return replace(result, is_kept=True) if is_one else None

    def keep(self, result):
        """Keep a Result that passed; a warning, and no error, if the folder takes no more."""
        if result.outcome != "passed":
            return
        try:
            write_file(self._path(result.key), json.dumps(asdict(result), indent=1) + "\n")
        except InputError as error:
            _log.warning("Results are not kept for later runs: %s", _reason(error, self._folder))

    def _path(self, key):
        return self._folder / f"{key}.json"


def _reason(error, folder):
    """A refusal that names the folder in place of one of its files: it is told once."""
    return re.sub(rf"{re.escape(str(folder))}/\w+\.json", str(folder), str(error))

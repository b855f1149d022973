# SPDX-License-Identifier: Apache-2.0
"""Survivors named by a review, with the reason for each: ``reviewed.json`` beside this file.

A list of dicts: ``file``, ``before`` and ``after`` as a Mutant has them, and ``reason``. The line
does not count, so an entry stays valid when other lines change; it ends when its text changes.
"""

from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files.reading import read_json

__all__ = ["Reviewed", "read_reviewed"]

_PATH = Path(__file__).with_name("reviewed.json")


class Reviewed:
    """Reasons by mutant.

    Parameters
    ----------
    entries : list, dicts as above
    """

    def __init__(self, entries):
        self._reasons = {(each["file"], each["before"], each["after"]): each["reason"]
                         for each in entries}

    def get(self, mutant):
        """The reason for a Mutant to survive, or None."""
        return self._reasons.get((mutant.file, mutant.before, mutant.after))


def read_reviewed(path=_PATH):
    """Read Reviewed from a file; InputError if an entry lacks a field or a reason."""
    entries = read_json(path)
    for number, each in enumerate(entries):
        lacking = [name for name in ("file", "before", "after", "reason")
                   if not isinstance(each.get(name), str) or not each[name].strip()]
        if lacking:
            raise InputError(f"{path}: entry {number} has no {lacking[0]}")
    return Reviewed(entries)

# SPDX-License-Identifier: Apache-2.0
"""Points no stimulus can reach: reviewed, each with its reason, in ``exclusions.toml``."""

import tomllib
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path

import xymac.hdl
from xymac.hdl.config import CoreConfig, find_size
from xymac.host.errors import InputError

from .jobs import SIZES

__all__ = ["EXCLUSIONS", "Exclusion", "exclude", "read_exclusions"]

#: The file of this repository.
EXCLUSIONS = Path(__file__).with_name("exclusions.toml")

_HDL      = Path(xymac.hdl.__file__).resolve().parent
_REQUIRED = {"file", "kind", "reason"}
_FIELDS   = {*_REQUIRED, "source", "points", "when", "proof"}


@dataclass(frozen=True)
class Exclusion:
    """Unreachable points.

    Parameters
    ----------
    file : str, within ``hdl``
    kind : str, point kind, see ``xymac.sim.coverage.points.KINDS``
    reason : str, why no stimulus reaches them
    source : str, text in the lines of the points; "" for all lines of the file
    points : tuple of str, globs for the details of the points, case-sensitive
    when : dict, values of ``CoreConfig`` fields of the sizes concerned; {} for all
    proof : str, name of the ``make formal`` property that proves it, or ""
    """

    file:   str
    kind:   str
    reason: str
    source: str = ""
    points: tuple = ("*",)
    when:   dict = field(default_factory=dict)
    proof:  str = ""

    def applies(self, size):
        """Whether this is about ``size``, a name in ``SIZES``: its core has the values of ``when``,
        and the points of the file count.
        """
        config = find_size(SIZES[size].config)
        return self.file.startswith(SIZES[size].files) and all(
            getattr(config, name) == value for name, value in self.when.items())

    def is_on(self, point, text):
        """Whether ``point``, whose line in the sources is ``text``, is in the place of this."""
        return point.file == self.file and point.kind == self.kind and self.source in text


def _literal(pattern):
    """Return ``pattern`` with literal brackets: they are bit indices."""
    return pattern.replace("[", "[[]")


def read_exclusions(path=EXCLUSIONS, proofs=None):
    """Return the exclusions in a file, a list; ``proofs`` holds property names, or is None.

    InputError if the file cannot be read as exclusions, or an entry lacks a field, has an unknown
    field, or names an unknown proof.
    """
    try:
        entries = tomllib.loads(Path(path).read_text()).get("exclusion", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    return [_read(path, number, entry, proofs) for number, entry in enumerate(entries, 1)]


def _read(path, number, entry, proofs):
    where = f"{path}: exclusion {number}"
    if missing := _REQUIRED - entry.keys():
        raise InputError(f"{where} has no {', '.join(sorted(missing))}")
    if strange := entry.keys() - _FIELDS:
        raise InputError(f"{where} has the unknown {', '.join(sorted(strange))}")
    points, when = entry.get("points", ["*"]), entry.get("when", {})
    if not isinstance(points, list) or not all(isinstance(each, str) for each in points):
        raise InputError(f"{where} must have a list of texts as points, not {points!r}")
    if not isinstance(when, dict):
        raise InputError(f"{where} must have a table of core fields as when, not {when!r}")
    if unknown := when.keys() - {each.name for each in fields(CoreConfig)}:
        raise InputError(f"{where} has a core with the unknown {', '.join(sorted(unknown))}")
    if not entry["reason"].strip():
        raise InputError(f"{where} has an empty reason")
    if proofs is not None and entry.get("proof", "") not in {"", *proofs}:
        raise InputError(f"{where} names the proof {entry['proof']!r}, which does not exist")
    return Exclusion(**entry | {"points": tuple(points)})


def exclude(counts, exclusions, size, own=None):
    """Return ({excluded Point: Exclusion}, errors) for a size's ``counts`` {Point: hits}.

    A glob of an exclusion without a matching point, or with a point already hit, gives an error
    sentence. An exclusion with ``when`` is about cores of a configuration, so only ``own``, the
    hits by the size's own models, can contradict it: a block's bench may have another
    configuration, or drive the block as no such core does. ``own`` is ``counts`` if None.
    """
    own = counts if own is None else own
    excluded, errors = {}, []
    for exclusion, glob in ((each, glob) for each in exclusions if each.applies(size)
                            for glob in each.points):
        lines   = _lines_of(exclusion.file)
        matched = [point for point in counts if point.file == exclusion.file
                   and exclusion.is_on(point, _text_of(lines, point.line))
                   and fnmatchcase(point.detail, _literal(glob))]
        title = f"{exclusion.file}: {exclusion.kind} {glob} of {exclusion.source!r}"
        if not matched:
            errors.append(f"The exclusion {title} matches nothing in {size}")
        for point in matched:
            if (own if exclusion.when else counts)[point]:
                errors.append(f"The exclusion {title} was hit in {size}, in line {point.line}: "
                              f"{point.detail or point.kind}")
            else:
                excluded[point] = exclusion
    return excluded, errors


def _lines_of(file):
    path = _HDL / file
    return path.read_text().splitlines() if path.is_file() else []


def _text_of(lines, number):
    return lines[number - 1] if number <= len(lines) else ""

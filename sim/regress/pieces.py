# SPDX-License-Identifier: Apache-2.0
"""All regression pieces, longest first."""

from dataclasses import replace
from fnmatch import fnmatchcase

from xymac.host.errors import InputError

from .calls import cut_gates, cut_vectors
from .items import cut_faults, cut_tests
from .mutants import cut_mutants
from .piece import KINDS, Piece
from .robust import cut_robust

__all__ = ["cut", "rounds"]

#: Sizes and FPGA devices for ``xymac fit``, and seeds of each per round.
_FITS  = {"base": "ecp5-85k", "small": "ecp5-25k"}
_SEEDS = 5


def cut(root, only=None, match="*", workloads=None):
    """Cut the source tree ``root`` (Path) into pieces, a list.

    ``only`` names kinds; None selects all except place and route. ``match`` is a glob for names.
    ``workloads`` is a folder with external example networks, or None. InputError without tests, or
    if no piece has the kind and name.
    """
    if not (root / "tests" / "vectors").is_dir():
        raise InputError(f"A regression needs a clone of the repository: there are no tests in "
                         f"{root}")
    chosen = only or [kind for kind in KINDS if kind != "fit"]
    pieces = [piece for piece in (*cut_gates(root), *cut_vectors(root), *cut_tests(root),
                                  *cut_faults(), *cut_robust(), *cut_mutants(), *_cut_fits())
              if piece.kind in chosen and fnmatchcase(piece.name, match)]
    for kind in only or ([] if pieces else ["any"]):
        if all(piece.kind != kind for piece in pieces):
            raise InputError(f"There is no piece of kind {kind} and name {match} in {root}")
    if workloads is not None:
        pieces = [_with_workloads(piece, workloads) for piece in pieces]
    return sorted(pieces, key=lambda piece: KINDS.index(piece.kind))


def rounds(pieces, seed, *, seeds=1, goes_on=lambda: False):
    """Yield (piece, seed): all pieces once, then seeded pieces with further seeds.

    ``seeds`` is the seed count per seeded piece; ``goes_on()`` is called before every piece in a
    further round.
    """
    yield from ((piece, seed) for piece in pieces)
    seeded = [piece for piece in pieces if piece.is_seeded]
    for _ in range(seeds - 1):
        seed += 1
        yield from ((piece, seed) for piece in seeded)
    while seeded and goes_on():
        seed += 1
        for piece in seeded:
            if not goes_on():
                return
            yield piece, seed


def _cut_fits():
    """Place and route pieces, one per seed."""
    for size, device in _FITS.items():
        for part in range(_SEEDS):
            yield Piece("fit", f"fit {size} {device} {part}", (
                "xymac", "fit", "--size", size, "--device", device, "--seeds", "1"),
                option="--first", part=part, parts=_SEEDS)


def _with_workloads(piece, folder):
    if piece.words[0] != "pytest":
        return piece
    return replace(piece, words=(*piece.words, "--workloads", str(folder)))

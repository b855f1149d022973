# SPDX-License-Identifier: Apache-2.0
"""Mutants in pieces: all of the derivation of parameters, and new samples of the other sources."""

from .piece import Piece

__all__ = ["cut_mutants"]

_SAMPLE = 200  #: Mutants of a piece,
_PARTS  = 10   #: and pieces.


def cut_mutants():
    """Pieces of mutants of the software."""
    yield Piece("mutants", "mutants of golden/parameters", (
        "mutants", "--file", "golden/parameters/*", "--all", "--least", "100"), option="")
    for part in range(_PARTS):
        yield Piece("mutants", f"mutants {part}", ("mutants", "--sample", str(_SAMPLE)),
                    part=part, parts=_PARTS)

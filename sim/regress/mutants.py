# SPDX-License-Identifier: Apache-2.0
"""Mutants in pieces: all for the hardware and the derived parameters, samples for the rest."""

from .piece import Piece

__all__ = ["cut_mutants"]

_SAMPLE = 200  #: Mutants of a piece,
_PARTS  = 10   #: and pieces.
#: Core sizes with all mutants tried, and their piece counts.
_CORES  = {"base": 40, "base,dma=32": 40}


def cut_mutants():
    """Cut software and hardware mutants into pieces."""
    for size, parts in _CORES.items():
        for part in range(parts):
            yield Piece("mutants", f"mutants of {size} {part}", (
                "mutants-hardware", "hardware", "--size", size, "--part", f"{part}/{parts}"),
                option="")
    yield Piece("mutants", "mutants of golden/parameters", (
        "mutants", "--file", "golden/parameters/*", "--all", "--least", "100"), option="")
    for part in range(_PARTS):
        yield Piece("mutants", f"mutants {part}", ("mutants", "--sample", str(_SAMPLE)),
                    part=part, parts=_PARTS)

# SPDX-License-Identifier: Apache-2.0
"""Pieces of hostile input: damaged files, illegal programs and lists, errors on the link.

Each run draws its share of the stimuli from its seed, so that shares add up over runs; see
``counted``.
"""

from dataclasses import dataclass

from .piece import Piece

__all__ = ["CAMPAIGNS", "Campaign", "cut_robust"]

_DAMAGE = "tests/host/cli/test_damaged_files.py::test_damaged_files"
#: Readers in the damaged-file test.
READERS = ("tflite", "network", "npz", "npy", "png", "jpeg", "bmp", "compiled arrays",
           "compiled description", "vector arrays", "vector index", "labelled inputs", "labels csv",
           "labels npy", "classes", "calls", "adapter", "cluster", "regress settings")


@dataclass(frozen=True)
class Campaign:
    """Random stimuli of a kind.

    Parameters
    ----------
    name : str, the name under which its test counts them
    test : str, node of pytest
    goal : int, stimuli over all runs
    share : int, stimuli of a run
    parts : int, pieces of a run, which divide ``share``
    """

    name:  str
    test:  str
    goal:  int
    share: int
    parts: int


CAMPAIGNS = (
    *(Campaign(f"damaged files: {reader}", f"{_DAMAGE}[{reader}]", 100_000, 10_000, 10)
      for reader in READERS),
)


def cut_robust():
    """Pieces of all campaigns."""
    for campaign in CAMPAIGNS:
        for part in range(campaign.parts):
            number = f" {part}" if campaign.parts > 1 else ""
            yield Piece("robust", f"{campaign.name}{number}", (
                "pytest", campaign.test, "--stimuli", str(campaign.share // campaign.parts)),
                part=part, parts=campaign.parts)

# SPDX-License-Identifier: Apache-2.0
"""Pieces with hostile input: damaged files, illegal programs and lists, errors on the link.

Each run draws its share from its seed, so that shares add up over runs; see ``counted``.
"""

from dataclasses import dataclass

from xymac.sim.signoff.places import PLACES

from .piece import Piece

__all__ = ["CAMPAIGNS", "Campaign", "cut_robust"]

_DAMAGE = "tests/host/cli/test_damaged_files.py::test_damaged_files"
#: Readers in the damaged-file test.
READERS = ("tflite", "network", "npz", "npy", "png", "jpeg", "bmp", "compiled arrays",
           "compiled description", "vector arrays", "vector index", "labelled inputs", "labels csv",
           "labels npy", "classes", "calls", "adapter", "cluster", "regress settings",
           "evidence")


@dataclass(frozen=True)
class Campaign:
    """A kind of random stimuli.

    Parameters
    ----------
    group : str, end of its evidence's name
    name : str, count name in its test
    test : str, pytest node
    goal : int, stimuli over all runs
    share : int, stimuli per run
    parts : int, pieces per run, a divisor of ``share``
    """

    group: str
    name:  str
    test:  str
    goal:  int
    share: int
    parts: int

    @property
    def evidence(self):
        """The name of its evidence."""
        return f"robust-{self.group}"


CAMPAIGNS = (
    *(Campaign("files", f"damaged files: {reader}", f"{_DAMAGE}[{reader}]", 100_000, 10_000, 10)
      for reader in READERS),
    Campaign("programs", "illegal programs on the golden machine",
             "tests/golden/machine/test_illegal.py::test_illegal_programs", 100_000, 10_000, 2),
    Campaign("programs", "illegal command lists on the golden machine",
             "tests/golden/machine/test_illegal_lists.py::test_illegal_lists", 100_000, 10_000, 2),
    *(Campaign("programs", f"illegal programs in RTL, {size}",
               f"tests/rtl/test_illegal.py::test_illegal_programs[{size}]", goal, goal // 10, 1)
      for size, goal in (("tiny", 10_000), ("base", 2_000))),
    Campaign("programs", "illegal command lists in RTL",
             "tests/rtl/test_illegal_lists.py::test_illegal_lists", 2_000, 200, 1),
    *(Campaign("accesses", f"accesses beside programs, {via}",
               f"tests/rtl/test_bus_traffic.py::test_random_traffic[{via}]", 100_000, 10_000, 1)
      for via in ("direct", "bus")),
    *(Campaign("bursts", f"{frames} of the link with bursts of errors",
               f"tests/host/device/test_link_bursts.py::test_{frames}_with_bursts", 100_000, 50_000,
               2) for frames in ("requests", "answers")),
)


def cut_robust():
    """Pieces for all campaigns."""
    for campaign in CAMPAIGNS:
        for part in range(campaign.parts):
            number = f" {part}" if campaign.parts > 1 else ""
            yield Piece("robust", f"{campaign.name}{number}", (
                "pytest", campaign.test, "--stimuli", str(campaign.share // campaign.parts)),
                part=part, parts=campaign.parts, places=PLACES[campaign.evidence])

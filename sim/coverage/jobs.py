# SPDX-License-Identifier: Apache-2.0
"""Stimuli for coverage: this repository's tests, and calls of all functions."""

import sys
from dataclasses import dataclass

from xymac.hdl.config import find_size

__all__ = ["GROUPS", "SIZES", "Job", "Size", "list_jobs"]

#: Stimulus groups, each with a description.
GROUPS = {
    "calls":    "the smallest reference call of every function, type and border",
    "blocks":   "cocotb benches of the blocks",
    "random":   "random programs and raw program words",
    "aimed":    "programs aimed at faults, stops, timing, tables and scales",
    "host":     "reads and writes of the host, resets, and the AXI4-Lite port",
    "networks": "networks",
    "dma":      "lists, faults and bursts of a core with a DMA",
}


@dataclass(frozen=True)
class Size:
    """A core with its own coverage report.

    Parameters
    ----------
    config : str, size of the core, as in ``xymac.hdl.config.find_size``
    models : names in ``xymac.sim.build`` of the simulated components whose points count
    files : path prefixes of the sources whose points count
    groups : stimulus groups for this core
    """

    config: str
    models: tuple
    files:  tuple = ("",)
    groups: tuple = ("calls", "blocks", "random", "aimed", "host", "networks")


_DMA      = "tiny,dma=32"
_DMA_NAME = find_size(_DMA).name
#: Cores by name; a size with a DMA adds the files that only it has.
SIZES = {
    "tiny": Size("tiny", ("core-tiny", "axi_lite")),
    "base": Size("base", ("core-base", "axi_lite")),
    "dma":  Size(_DMA, (f"dma-{_DMA_NAME}", f"core_axi4_{_DMA_NAME}", f"core_dma_{_DMA_NAME}",
                        "axi_burst_0", "axi_burst_1"), ("dma/", "axi4.py"), ("dma",)),
}


@dataclass(frozen=True)
class Job:
    """A process with simulations that count coverage.

    Parameters
    ----------
    name : str
    group : str, in ``GROUPS``
    sizes : names of the sizes concerned
    words : Python arguments
    quick : bool, in the quick cut
    """

    name:  str
    group: str
    sizes: tuple
    words: tuple
    quick: bool = True


def list_jobs(sizes, only=None, *, quick=False, seed=None, root="."):
    """Return the jobs for ``sizes``, long ones first.

    Parameters
    ----------
    sizes : names in ``SIZES``
    only : names in ``GROUPS``, or None for all
    quick : bool, leave out jobs outside the quick cut
    seed : int for the random tests, or None for the default
    root : Path, source tree
    """
    seeded = () if seed is None else ("--seed", str(seed))
    jobs   = [job for make in (_calls, _programs, _benches, _dma) for job in make(seeded)]
    return [job for job in jobs if set(job.sizes) & set(sizes) and (not quick or job.quick)
            and (only is None or job.group in only)]


def _pytest(name, group, sizes, seeded, *words, quick=True):
    start = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    return Job(name, group, sizes, (*start, *words, *seeded), quick)


def _calls(seeded):
    for size in ("base", "tiny"):
        for part in range(4):
            yield Job(f"calls {size} {part + 1} of 4", "calls", (size,),
                      ("-m", "xymac.sim.coverage.calls", size, str(part), "4"))


_AIMED = ("tests/rtl/test_faults.py", "tests/rtl/test_stop.py", "tests/rtl/timing",
          "tests/rtl/test_scale.py", "tests/rtl/test_tables.py", "tests/rtl/test_scalars.py",
          "tests/rtl/test_watch.py", "tests/rtl/test_ends.py", "tests/rtl/test_strides.py")


def _programs(seeded):
    for size in ("base", "tiny"):
        yield _pytest(f"random programs on {size}", "random", (size,), seeded,
                      "tests/rtl/test_passes.py", "tests/rtl/test_illegal.py", "-k", size)
        yield _pytest(f"aimed programs on {size}", "aimed", (size,), seeded, *_AIMED, "-m", "",
                      "-k", f"({size} or (not base and not small and not tiny and not compact))"
                            " and not many_random_words", quick=False)
        yield _pytest(f"host of {size}", "host", (size,), seeded, "tests/rtl/test_host.py",
                      "tests/rtl/host", "tests/rtl/test_ranked.py",
                      "tests/sim/coverage/test_resets.py",
                      "tests/sim/coverage/test_aimed.py",
                      "tests/sim/coverage/test_crosses_aimed.py", "-m", "",
                      "-k", f"{size} or (not base and not small and not tiny and not compact)")
        yield Job(f"digits on {size}", "networks", (size,), (
            "-m", "xymac.host.cli.main", "run", "host/examples/data/digits_cnn.npz", "--images",
            "host/examples/data/digits_images.npz", "--size", size, "--backend", "rtl"))


def _benches(seeded):
    both = ("tiny", "base")
    yield _pytest("benches of the blocks", "blocks", both, seeded, "tests/hdl/test_blocks.py",
                  "tests/hdl/test_axi.py", "-m", "", "-k", "not ecp5 and not uart and not link")


#: Benches of a DMA with another width or more MACs per lane take minutes, and have other points.
_TINY_DMA = "not small and not base and not kernels and not 64 and not 128"


def _dma(seeded):
    yield _pytest("benches of the DMA", "dma", ("dma",), seeded, "tests/hdl/test_dma.py",
                  "tests/hdl/test_axi4.py", "-m", "", "-k", _TINY_DMA)
    yield _pytest("lists on a core with a DMA", "dma", ("dma",), seeded,
                  "tests/sim/coverage/test_dma_aimed.py", "tests/rtl/test_illegal_lists.py",
                  "-m", "")
    yield _pytest("images on a core with a DMA", "dma", ("dma",), seeded, "tests/sim/test_dma.py",
                  quick=False)


def command_of(job):
    """Return a job's command line, a list."""
    return [sys.executable, *job.words]

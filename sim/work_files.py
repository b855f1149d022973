"""Write the reference works as networks for ``xymac run``: ``python -m sim.work_files``."""

import argparse
from pathlib import Path

from host.network import Network
from host.network_file import save_network

from .works import WORKS

__all__ = ["main", "work_network"]


def work_network(work):
    """Network of a Work with one input."""
    layers, x = work.operands()
    return Network(work.name, x.shape, x.data.dtype, x.frac_bits, layers)


def main(arguments=None):
    """Write a network file for every work but those with two inputs, which no network has."""
    parser = argparse.ArgumentParser(
        prog="python -m sim.work_files",
        description="Write the works of xymac bench that have one input as files for xymac run.")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"),
                        help="where to write the files (default: build)")
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    for work in WORKS:
        if len(work.x_shapes) == 1:
            save_network(folder / f"{work.name}.npz", work_network(work))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Write the benchmarks as networks for ``xymac run``: ``python -m xymac.sim.works.files``."""

import argparse
from pathlib import Path

from xymac.golden.mli1 import Tensor
from xymac.host.network.file import save_network
from xymac.host.network.network import join_layers

from .works import WORKS

__all__ = ["main", "takes_network", "work_network"]


def takes_network(work):
    """Whether a network can express a Work: a single fixed-point input Tensor."""
    _, *inputs = work.operands()
    return len(inputs) == 1 and isinstance(inputs[0], Tensor)


def work_network(work):
    """Network of a Work for which ``takes_network`` is true."""
    layers, x = work.operands()
    return join_layers(work.name, x, layers)


def main(arguments=None):
    """Write a network file for every benchmark for which ``takes_network`` is true."""
    parser = argparse.ArgumentParser(
        prog="python -m xymac.sim.works.files",
        description="Write the works of xymac bench that have one fixed-point input as files for "
                    "xymac run.")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"),
                        help="where to write the files (default: build)")
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    for work in WORKS:
        if takes_network(work):
            save_network(folder / f"{work.name}.npz", work_network(work))


if __name__ == "__main__":
    main()

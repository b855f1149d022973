# SPDX-License-Identifier: Apache-2.0
"""Write the benchmarks as networks for ``xymac run``: ``python -m xymac.sim.benchmarks.files``."""

import argparse
from pathlib import Path

from xymac.golden.mli1 import Tensor
from xymac.host.errors import InputError
from xymac.host.files import make_folder
from xymac.host.network.file import save_network
from xymac.host.network.network import join_layers

from .benchmarks import BENCHMARKS

__all__ = ["benchmark_network", "main", "takes_network"]


def takes_network(benchmark):
    """Whether a network can express a Benchmark: a single fixed-point input Tensor."""
    _, *inputs = benchmark.operands()
    return len(inputs) == 1 and isinstance(inputs[0], Tensor)


def benchmark_network(benchmark):
    """Network for a Benchmark for which ``takes_network`` is true."""
    layers, x = benchmark.operands()
    return join_layers(benchmark.name, x, layers)


def main(arguments=None):
    """Write a network file for every benchmark for which ``takes_network`` is true."""
    parser = argparse.ArgumentParser(
        prog="python -m xymac.sim.benchmarks.files",
        description="Write the benchmarks of xymac bench with a single fixed-point input as files "
                    "for xymac run.")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"),
                        help="where to write the files (default: build)")
    folder = parser.parse_args(arguments).output
    try:
        make_folder(folder)
        for benchmark in BENCHMARKS:
            if takes_network(benchmark):
                save_network(folder / f"{benchmark.name}.npz", benchmark_network(benchmark))
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()

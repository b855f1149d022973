# SPDX-License-Identifier: Apache-2.0
"""Digests of executables: two source trees that print the same lines make the same passes.

``python -m tests.support.digests [--every N] [NETWORK ...] > FILE`` prints a line for every
benchmark, shipped network, call of ``tests.support.layers`` and ``N``th reference vector: name,
passes, predicted cycles and digest of all steps and constants, or the refusal. ``diff`` compares
the files of two trees.
"""

import argparse
import dataclasses
import hashlib
import sys
from enum import Enum
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from tests.support.layers import CALLS
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.cluster import ROOT
from xymac.host.cycles.model import predict
from xymac.host.network.linker import compile_network, plan_core, split_network
from xymac.host.network.load import load_model
from xymac.host.network.tflite import network_of
from xymac.host.plan.tiling.tiled import make_plan
from xymac.host.vectors.check import build_layer
from xymac.host.vectors.files import read_arrays, read_cases
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.networks import NETWORKS

_NETWORKS = ROOT / "host/examples/data"
_VECTORS  = ROOT / "tests/vectors"


def feed(digest, value):
    """Add a value to a digest, without the names of classes."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, Enum):
        digest.update(value.name.encode())
    elif isinstance(value, dict):
        feed(digest, list(value.items()))
    elif isinstance(value, tuple | list):
        digest.update(f"({len(value)}".encode())
        for each in value:
            feed(digest, each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        feed(digest, [getattr(value, field.name) for field in dataclasses.fields(value)])
    else:
        digest.update(repr(value).encode())


def digest_of(executable, segments, config):
    """Passes, predicted cycles and digest of an Executable as text; ``segments`` its programs."""
    digest = hashlib.sha256()
    for part in (executable.load, executable.run, executable.arrays, executable.states,
                 executable.constants):
        feed(digest, part)
    return (f"{sum(map(len, segments))} {sum(predict(each, config).cycles for each in segments)} "
            f"{digest.hexdigest()[:16]}")


def _line(make, config):
    """The text of ``digest_of`` for a pair from ``make``, or its refusal."""
    try:
        return digest_of(*make(), config)
    except (OverflowError, TypeError, ValueError) as error:
        return f"refused: {error}"


def of_layers(config, layers, inputs, **options):
    plan = make_plan(config, layers, *inputs, **options)
    return plan.executable, plan.segments


def of_network(config, network):
    plan = plan_core(network, split_network(network), config)
    return compile_network(network, config), () if plan is None else plan.segments


def _of_case(config, case, variant):
    call = build_layer(case, variant, read_arrays(case))
    return of_layers(config, [call[0]], call[1:], c_order=True)


def _benchmarks(config):
    for each in BENCHMARKS:
        layers, *inputs = each.operands()
        yield each.name, partial(of_layers, config, layers, inputs)


def _calls(config):
    for library, calls in CALLS.items():
        for index, (layer, *inputs) in enumerate(calls):
            for c_order in (False, True):
                yield (f"{library} {index} {type(layer).__name__}{' in order' * c_order}",
                       partial(of_layers, config, [layer], inputs, c_order=c_order))


def _vectors(config, every):
    cases = [case for path in sorted(_VECTORS.rglob("index.json"))
             for case in read_cases(path.parent)]
    for case in cases[::every]:
        for variant in case.expected:
            yield f"{case.id} {variant}", partial(_of_case, config, case, variant)


def _networks(config, paths):
    for each in NETWORKS:
        yield each.name, lambda each=each: of_network(config, network_of(each.model(), each.name))
    for path in paths:
        yield path.name, lambda path=path: of_network(config, load_model(path))


def lines(networks, every):
    """Yield a line for every executable."""
    for config, parts in (
            (BASE, (_benchmarks(BASE), _calls(BASE), _vectors(BASE, every),
                    _networks(BASE, networks))),
            (SMALL, (_benchmarks(SMALL), _networks(SMALL, networks))),
            (TINY, (_benchmarks(TINY), _calls(TINY), _vectors(TINY, every)))):
        for name, make in chain.from_iterable(parts):
            yield f"{name}, {config.name}: {_line(make, config)}"


def main(arguments):
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", metavar="N", type=int, default=7)
    parser.add_argument("networks", metavar="NETWORK", type=Path, nargs="*")
    options = parser.parse_args(arguments)
    shipped = sorted(path for path in _NETWORKS.iterdir()
                     if path.suffix == ".tflite" or (path.suffix == ".npz"
                                                     and "images" not in path.name
                                                     and "pixels" not in path.name
                                                     and "rows" not in path.name))
    for text in lines([*shipped, *options.networks], options.every):
        print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])

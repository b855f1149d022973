# SPDX-License-Identifier: Apache-2.0
"""Outputs and programs of many layers as digests, compared with those recorded.

``python -m tests.support.recorded`` records them anew. Outputs change only with a fault or its
mend; programs and cycles change with the planner, and the difference of the files names the layers
that became faster or slower.
"""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.support import recorded_calls
from tests.support.digests import digest_of, feed, of_layers, of_network
from tests.support.layers import CALLS
from tests.support.recorded_functions import FUNCTIONS
from tests.support.seed import SEED
from tests.support.tflite.wild import EVERY, wild_of
from tests.support.wrong_calls import outcomes
from xymac import golden
from xymac.golden.layer import Layer
from xymac.hdl.config import BASE, TINY
from xymac.host.cluster import ROOT
from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.operations import DIALECTS, OPERATIONS, UNSIGNED
from xymac.host.kit.stimuli.generate import generate
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.networks import NETWORKS

__all__ = ["CALLS_BY_NAME", "CASES", "MODELS", "OUTPUTS", "PROGRAMS", "SAME_SEED", "WRONG",
           "Recorded", "digest", "draw", "drawn", "output_of_model", "program"]

#: Mark of the tests that compare digests.
SAME_SEED = pytest.mark.skipif(
    not SEED.is_default, reason="--seed N draws other layers than those recorded")

CASES     = 24  #: Drawn cases of an operation and type whose outputs are recorded,
_PLANNED  = 6   #: and those of them whose programs are.
MODELS    = 6   #: Random networks of each operator.
_REFUSALS = OverflowError, TypeError, ValueError


@dataclass(frozen=True)
class Recorded:
    """Digests in a file, a line ``group | name: digest`` each.

    Parameters
    ----------
    path : Path, the file
    groups : dict, by group name a function without arguments that yields (name, text) pairs
    """

    path:   Path
    groups: dict[str, Callable]

    def known(self, group):
        """The recorded lines of a group, a list of str."""
        return _read(self.path).get(group, [])

    def made(self, group):
        """The lines of a group as they are made now, a list of str."""
        return [f"{name}: {text}" for name, text in self.groups[group]()]

    def record(self):
        """Write all lines."""
        with open(self.path, "w", encoding="utf-8") as file:
            for group in self.groups:
                file.writelines(f"{group} | {line}\n" for line in self.made(group))


@cache
def _read(path):
    groups = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        group, _, text = line.partition(" | ")
        groups.setdefault(group, []).append(text)
    return groups


def digest(value):
    """Short hash of a value."""
    result = hashlib.sha256()
    feed(result, value)
    return result.hexdigest()[:12]


def _output(layer, inputs):
    try:
        return digest((golden.run(layer, *inputs), layer.data_type(*inputs),
                        layer.work(*(x.shape for x in inputs))))
    except _REFUSALS:
        return "refused"


def program(config, make, *arguments, **options):
    """Digest of the executable of ``make``, with its passes and cycles; or that it is refused."""
    try:
        return digest_of(*make(config, *arguments, **options), config)
    except _REFUSALS:
        return "refused"


@cache
def draw(operation, dialect, kind):
    """Cases of the kit; none if it has no such operation."""
    try:
        return generate(Supports(operation, dialect, kind, {}), CASES).cases
    except InputError:
        return ()


def drawn():
    """(group, operation, dialect, kind) of all cases of the kit."""
    for operation, (dialect, kinds) in product(OPERATIONS, DIALECTS.items()):
        for kind in kinds:
            if operation != "network" and (kind != "uint8" or operation in UNSIGNED):
                yield f"{dialect} {kind} {operation}", operation, dialect, kind


def _outputs_of_cases(*which):
    for case in draw(*which):
        yield case.name, digest(case.expected())


def _functions():
    for name, function in FUNCTIONS.items():
        yield name, digest(function())


def _outputs_of_calls(library, kind):
    for index, (layer, *inputs) in enumerate(CALLS[library]):
        if type(layer).__name__ == kind:
            yield str(index), _output(layer, inputs)


def _wrong_calls(library, kind):
    for index, (layer, *inputs) in enumerate(CALLS[library]):
        if type(layer).__name__ == kind:
            letters, results = zip(*outcomes(layer, inputs), strict=True)
            yield str(index), f"{''.join(letters)} {digest(results)}"


def _programs_of_cases(*which):
    for case in draw(*which)[:_PLANNED]:
        if isinstance(case.layer, Layer):
            yield case.name, program(BASE, of_layers, [case.layer], case.inputs)


def _programs_of_calls(library, kind):
    for config, c_order in ((BASE, False), (BASE, True), (TINY, False)):
        for index, (layer, *inputs) in enumerate(CALLS[library]):
            if type(layer).__name__ == kind:
                yield (f"{index} {config.name}{' in order' * c_order}", program(
                    config, of_layers, [layer], inputs, c_order=c_order))


def _of_model(config, model, name):
    return of_network(config, network_of(model, name))


def _models(name):
    """(key, Model) pairs of random networks of an operator, half of them with wild parameters."""
    for key in range(MODELS):
        yield f"{key}", EVERY[name](np.random.default_rng([key, *name.encode()]))
        yield f"{key} wild", wild_of(name, key)


def output_of_model(name, model):
    """Digest of a Model's outputs for random inputs and its layers' work; or that it is refused."""
    try:
        network = network_of(model, name)
        inputs  = next(each_input(random_images(network, len(name)).data))
        work    = [node.layer.work(*(network.values[number].shape for number in node.sources))
                   for node in network.nodes]
        return digest((Session(network).run(*inputs).outputs, work))
    except _REFUSALS:
        return "refused"


def _outputs_of_models(name):
    for key, model in _models(name):
        yield key, output_of_model(name, model)


def _programs_of_models(name):
    for key, model in _models(name):
        yield key, program(BASE, _of_model, model, name)


def _programs_of_benchmarks():
    for each in BENCHMARKS:
        layers, *inputs = each.operands()
        yield each.name, program(BASE, of_layers, layers, inputs)


def _programs_of_network(network):
    yield network.name, program(BASE, _of_model, network.model(), network.name)


def _calls_by_name(calls):
    for name, (how, held) in calls():
        yield name, f"{how} {digest(held)}"


def _kinds():
    """(group, library, kind) of all calls."""
    for library, calls in CALLS.items():
        for kind in dict.fromkeys(type(layer).__name__ for layer, *_ in calls):
            yield f"{library} {kind}", library, kind


OUTPUTS  = Recorded(ROOT / "tests/recorded/outputs.txt", {
    "functions": _functions,
    **{group: partial(_outputs_of_calls, *which) for group, *which in _kinds()},
    **{group: partial(_outputs_of_cases, *which) for group, *which in drawn()},
    **{f"operator {name}": partial(_outputs_of_models, name) for name in EVERY}})
WRONG    = Recorded(ROOT / "tests/recorded/wrong_calls.txt", {
    group: partial(_wrong_calls, *which) for group, *which in _kinds()})
CALLS_BY_NAME = Recorded(ROOT / "tests/recorded/calls.txt", {
    name: partial(_calls_by_name, calls) for name, calls in recorded_calls.CALLS.items()})
PROGRAMS = Recorded(ROOT / "tests/recorded/programs.txt", {
    **{group: partial(_programs_of_calls, *which) for group, *which in _kinds()},
    **{group: partial(_programs_of_cases, *which) for group, *which in drawn()},
    **{f"operator {name}": partial(_programs_of_models, name) for name in EVERY},
    "benchmarks": _programs_of_benchmarks,
    **{f"network {each.name}": partial(_programs_of_network, each) for each in NETWORKS}})


if __name__ == "__main__":
    for recorded in (OUTPUTS, WRONG, CALLS_BY_NAME, PROGRAMS):
        recorded.record()
        sys.stdout.write(f"Written to {recorded.path}\n")

# SPDX-License-Identifier: Apache-2.0
"""Outputs and programs of further layers beside ``tests.support.recorded``, a digest a group.

``python -m tests.support.recorded_wide`` records them anew, in minutes.
"""

import sys
from functools import partial
from itertools import product

import numpy as np

from tests.support.digests import of_layers, of_network
from tests.support.recorded import CASES, MODELS, Recorded, digest, drawn, output_of_model, program
from tests.support.tflite.wild import EVERY, wild_of
from xymac.golden.layer import Layer
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.cluster import ROOT
from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.stimuli.generate import generate
from xymac.host.network.tflite import network_of

__all__ = ["WIDE"]

_MANY   = 4  #: Times the cases of an operation and type,
_KEYS   = 4  #: and times the random networks of an operator.
_SIZES  = BASE, SMALL, TINY


def _draw(operation, dialect, kind):
    try:
        cases = generate(Supports(operation, dialect, kind, {}), (1 + _MANY) * CASES).cases
    except InputError:
        return ()
    return cases[CASES:]


def _cases(*which):
    """(case's name, digest of its output and its programs) of further cases."""
    for number, case in enumerate(_draw(*which)):
        texts = [digest(case.expected())]
        if isinstance(case.layer, Layer):
            texts += [program(config, of_layers, [case.layer], case.inputs, c_order=number % 5 == 0)
                      for config in _SIZES]
        yield case.name, texts


def _models(name):
    """(key, digest of the outputs and the programs) of further random networks of an operator."""
    keys = range(MODELS, (1 + _KEYS) * MODELS)
    for key, is_wild in product(keys, (False, True)):
        model = (wild_of(name, key) if is_wild else
                 EVERY[name](np.random.default_rng([key, *name.encode()])))
        yield key, [output_of_model(name, model), *(
            program(config, lambda config, model=model: of_network(
                config, network_of(model, name), name)) for config in _SIZES)]


def _whole(make):
    yield "all", digest(list(make()))


#: A digest a group.
WIDE = Recorded(ROOT / "tests/recorded/wide.txt", {
    **{group: partial(_whole, partial(_cases, *which)) for group, *which in drawn()},
    **{f"operator {name}": partial(_whole, partial(_models, name)) for name in EVERY}})


if __name__ == "__main__":
    WIDE.record()
    sys.stdout.write(f"Written to {WIDE.path}\n")

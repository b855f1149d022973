# SPDX-License-Identifier: Apache-2.0
"""The benchmarks by the cycle model alone: every one keeps its target."""

import numpy as np
import pytest

from xymac.golden.mli1 import Conv2d, FullyConnected
from xymac.hdl.config import BASE
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict
from xymac.host.plan.graph import blank_values, chain
from xymac.host.plan.plan import Plan
from xymac.sim.benchmarks.bench import golden_output
from xymac.sim.benchmarks.benchmarks import BENCHMARKS


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_predicted_cycles_keep_the_target(benchmark):
    layers, *inputs = benchmark.operands()

    cycles = predict(Plan(BASE, layers, *inputs).program, BASE).cycles

    assert cycles <= benchmark.target * benchmark.ideal(BASE)


def test_large_network():
    layers, x = BENCHMARKS[-1].operands()
    values    = list(blank_values(chain(layers), [x]))
    places    = [np.prod(value.shape[1:], dtype=int) for value in values[1:]]

    products = sum(layer.weights.data.size * place for layer, place in
                   zip(layers, places, strict=True) if isinstance(layer, (Conv2d, FullyConnected)))

    assert products == 12_354_176
    assert predict(Plan(BASE, layers, x).program, BASE).cycles <= 230_000
    assert len(np.unique(golden_output(layers, x).data)) > 1


def test_ideal_of_a_chain_is_that_of_its_matrices():
    layers, *_ = BENCHMARKS[-1].operands()
    shapes     = {1: (3, 32, 32), 3: (32, 16, 16), 5: (32, 8, 8), 7: (1024,), 8: (64,)}

    assert BENCHMARKS[-1].ideal(BASE) == sum(
        ideal_cycles(layers[index], BASE, shape) for index, shape in shapes.items())


@pytest.mark.parametrize("name", ["conv3x3_sa8", "depthwise3x3_sa8", "add_sa8", "conv3x3_xs3"])
def test_outputs_of_quantised_works_fill_their_range(name):
    [benchmark] = (benchmark for benchmark in BENCHMARKS if benchmark.name == name)
    layers, *inputs = benchmark.operands()

    data = golden_output(layers, *inputs).data

    assert (data.min(), data.max()) == (-128, 127)
    assert np.mean((data > -128) & (data < 127)) > 0.9

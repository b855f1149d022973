# SPDX-License-Identifier: Apache-2.0
"""Initial states of cells are found among their constants, each part of each element."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.mli1 import Act, BasicRnnCell, LstmCell, RnnMode, Tensor
from xymac.hdl.config import BASE, COMPACT, SMALL, TINY
from xymac.hdl.isa import Region
from xymac.host.c.initial import compile_states
from xymac.host.executable.steps import Write
from xymac.host.network.linker import compile_network
from xymac.host.network.network import join_layers


def cell_of(kind, dtype, units, rng):
    """A cell for 3 steps of 5 elements."""
    bits  = 8 * np.dtype(dtype).itemsize
    low   = -1 << bits - 1
    gates = (4,) if kind is LstmCell else ()

    def tensor(*shape, frac_bits=bits - 1):
        return Tensor(rng.integers(low, -low, shape).astype(dtype), frac_bits)

    states = [tensor(units), *([tensor(units, frac_bits=bits - 4)] if kind is LstmCell else [])]
    return kind(tensor(*gates, units, 5 + units), tensor(*gates, units), *states, bits - 1,
                RnnMode.BATCH_TO_BATCH, Act.TANH)


@pytest.mark.parametrize("config", [TINY, SMALL, BASE, COMPACT], ids=lambda config: config.name)
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize(("kind", "units"), [(BasicRnnCell, 1), (BasicRnnCell, 11), (LstmCell, 6),
                                             (LstmCell, 17)])
def test_every_part_of_every_state_has_its_cells(kind, units, dtype, config):
    layer = cell_of(kind, dtype, units, random_of(1))
    blank = Tensor(np.zeros((3, 5), dtype), 8 * np.dtype(dtype).itemsize - 1)

    compiled = compile_states(layer, lambda each: compile_network(
        join_layers("cell", blank, (each,)), config, cells=True))

    names = ("h", "cell")[:1 + (kind is LstmCell)]
    assert compiled.input_names[1:] == names
    assert compiled.output_names[1:] == names[1:]
    for state in range(1, len(compiled.inputs)):
        numbers = [number for step in compiled.run
                   if isinstance(step, Write) and step.value == state
                   for number in step.layout.pieces if number >= 0]
        assert sorted(set(numbers)) == [*range(2 * units)]
        assert numbers.count(0) == 1  # its lowest part


def test_constants_that_say_more_are_noticed():
    layer = cell_of(BasicRnnCell, np.int8, 3, random_of(2))
    blank = Tensor(np.zeros((3, 5), np.int8), 7)

    def compile_otherwise(each):
        compiled = compile_network(join_layers("cell", blank, (each,)), TINY, cells=True)
        step     = next(step for step in compiled.load if step.region is Region.Y)
        compiled.arrays[step.array][0] ^= np.uint16(abs(int(each.h.data.sum())) > 3)
        return compiled

    with pytest.raises(RuntimeError, match=r"^The constants of a cell are not its weights and "
                                           r"states alone$"):
        compile_states(layer, compile_otherwise)

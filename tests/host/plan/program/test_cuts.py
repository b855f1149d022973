# SPDX-License-Identifier: Apache-2.0
"""Passes cut along their output loops: the same results, within the windows of the whole pass."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.plan.test_cascades import KIND, blocks
from tests.support.images import SHORT, noisy_machine, run_image, with_dma
from tests.support.seed import random_of
from xymac.golden.tflm import Conv2d, Padding, Quantisation, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Op, Program
from xymac.host.image.build import build_unchanged
from xymac.host.network.linker import compile_network
from xymac.host.network.network import Network
from xymac.host.plan.graph import Node
from xymac.host.plan.program.cuts import COLS, ROWS, TILES, can_cut, cut_pass
from xymac.host.plan.program.waits import set_waits


def pixels(outputs, channels, stride, size=16):
    """A convolution with a scale for every output; a wide core reads an image of three channels in
    strips or rows.
    """
    rng    = random_of(outputs)
    scales = (2.0**-rng.integers(6, 9, outputs)).tolist()
    kind   = Quantisation(tuple(scales), (0,) * outputs, 0)
    filter_ = Tensor(rng.integers(-127, 128, (outputs, 3, 3, channels), np.int8), kind)
    layer  = Conv2d(filter_, None, KIND, stride=(stride, stride), padding=Padding.SAME)
    image  = Tensor.zeros((1, size, size, channels), np.int8, KIND)
    return Network("pixels", (Node(layer, (0,), "0"),), (image,))


def programs_of(executable):
    return {key: array for key, array in executable.arrays.items() if isinstance(array, Program)}


def cut_all(executable, config, loop, seen):
    """The Executable with every pass cut at a random index of a loop; notes what was cut."""
    rng, arrays = random_of(loop), dict(executable.arrays)
    for key, program in programs_of(executable).items():
        passes = []
        for pass_ in program:
            if can_cut(pass_, loop):
                size   = pass_.loop.outer[loop]
                bounds = [0, int(rng.integers(1, size)), size]
                parts  = cut_pass(pass_, loop, bounds, config.ways)
                seen  += [(pass_, part) for part in parts]
                passes += parts
            else:
                passes.append(pass_)
        arrays[key] = Program(set_waits(passes, config))
    return replace(executable, arrays=arrays)


@pytest.mark.parametrize(("config", "network", "operation", "loops"), [
    (TINY, pixels(24, 8, 1), Op.MAC, (TILES, ROWS, COLS)),
    (TINY, blocks(12, 10, residual=True), Op.MAC, (ROWS, COLS)),
    (BASE, pixels(64, 8, 1), Op.MAC, (TILES, ROWS, COLS)),
    (BASE, pixels(40, 8, 1), Op.CROSS, (TILES, ROWS, COLS)),
    (BASE, pixels(8, 3, 2), Op.MAC, (ROWS, COLS)),
    (BASE, blocks(12, 10, residual=True), Op.MAC, (COLS,))])
def test_the_parts_compute_what_the_pass_does(config, network, operation, loops):
    config     = with_dma(config)
    executable = compile_network(network, config)
    for loop in loops:
        check_cut(config, network, executable, operation, loop)


def check_cut(config, network, executable, operation, loop):
    """Cut all passes that can be cut along a loop, and compare outputs."""
    seen = []
    cut  = cut_all(executable, config, loop, seen)
    assert any(pass_.accumulate.op is operation for pass_, _ in seen), loop
    for pass_, part in seen:
        for whole, own in ((pass_.operands.x, part.operands.x), (pass_.operands.y, part.operands.y),
                           (pass_.epilogue.z, part.epilogue.z)):
            assert whole.low <= own.low <= own.high <= whole.high
    with noisy_machine(config) as device:
        run_image(network, build_unchanged(cut, config, SHORT), device)


def test_row_parts_read_and_write_their_own_rows():
    """The parts of a convolution that nothing clips have windows one behind the other."""
    config  = with_dma(TINY)
    program = next(iter(programs_of(compile_network(blocks(12, 10, residual=False),
                                                    config)).values()))
    pass_ = program[0]  # a pixel of the output for each of the input
    loop  = COLS if pass_.loop.outer[ROWS] == 1 else ROWS
    size  = pass_.loop.outer[loop]
    first, second = cut_pass(pass_, loop, [0, size // 2, size], config.ways)
    assert first.operands.x.high + 1 == second.operands.x.low
    assert first.epilogue.z.high + 1 == second.epilogue.z.low
    assert (first.operands.x.low, second.operands.x.high) == (
        pass_.operands.x.low, pass_.operands.x.high)


def test_a_pass_that_cannot_be_cut_is_refused():
    program = next(iter(programs_of(compile_network(blocks(12, 10, residual=False),
                                                    with_dma(TINY))).values()))
    for pass_ in (replace(program[0], hold=True), replace(program[0], repeat=2),
                  replace(program[0], op=Op.SLIDE)):
        assert not any(can_cut(pass_, loop) for loop in (TILES, ROWS, COLS))
        with pytest.raises(ValueError, match="Output loop 1 of the pass cannot be cut"):
            cut_pass(pass_, ROWS, [0, 1, 2], 1)

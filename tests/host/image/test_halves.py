# SPDX-License-Identifier: Apache-2.0
"""Small parts alternate between the halves of X, and their transfers run beside programs."""

from dataclasses import replace

import numpy as np

from tests.host.plan.test_cascades import blocks
from tests.support.images import SHORT, image_of, noisy_machine, run_image, with_dma
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Access, Memory, Op, Pass, Program, Width
from xymac.host.executable.steps import Load, Read, Write
from xymac.host.image.cycles import predict_list
from xymac.host.image.entries import RunEntry
from xymac.host.image.prepare.halves import find_halves
from xymac.host.image.prepare.relocate import move_activations
from xymac.host.network.linker import compile_network
from xymac.host.plan.program.windows import rows_of

CONFIG = with_dma(TINY)
HALF   = TINY.x_rows // 2


def test_neighbouring_parts_lie_apart():
    executable = compile_network(blocks(48, 20, residual=False), CONFIG, cascades=True)
    moved      = find_halves(executable, executable.run, CONFIG)
    assert {*moved} == {0, HALF}
    changes = [index for index in range(1, len(moved)) if moved[index] != moved[index - 1]]
    for index in changes:
        assert isinstance(executable.run[index], Write | Load)
        assert any(isinstance(step, Read) for step in executable.run[:index])


def test_parts_with_gathers_stay_near():
    """A gather of bytes begins in the first 64 KiB of X."""
    config     = with_dma(replace(BASE, x_rows=4096))
    executable = compile_network(blocks(150, 60, residual=False), config, cascades=True)
    assert {*find_halves(executable, executable.run, config)} == {0, 2048}
    gather = Pass(op=Op.GATHER, x=Access(0, 0, 9), y=Access(0, 0, 63), z=Access(4, 4, 5))
    for pass_, found in ((gather, {0}), (replace(gather, x_width=Width.BITS16), {0, 2048})):
        arrays = {name: Program([*each, pass_]) if isinstance(each, Program) else each
                  for name, each in executable.arrays.items()}
        assert {*find_halves(replace(executable, arrays=arrays), executable.run, config)} == found
        for program in arrays.values():
            if isinstance(program, Program) and len(found) > 1:
                assert move_activations(program, BASE.ways, 2048) != program


def test_moved_programs_use_other_rows_alone():
    executable = compile_network(blocks(24, 20, residual=False), CONFIG, cascades=True)
    program    = next(each for each in executable.arrays.values() if not isinstance(
        each, np.ndarray))
    for pass_, moved in zip(program, move_activations(program, TINY.ways, HALF), strict=True):
        for (memory, *rows), (other, *found) in zip(
                *([*reads, write] for reads, write in (rows_of(pass_, TINY.ways),
                                                       rows_of(moved, TINY.ways))), strict=True):
            assert memory is other
            assert found == [row + HALF * (memory is Memory.X) for row in rows]


def test_transfers_are_hidden():
    network = blocks(48, 20, residual=False)
    image   = image_of(network, CONFIG)
    found   = predict_list(image.run.ordered, CONFIG, SHORT)
    assert found.hidden > 0.5 * found.transfers
    with noisy_machine(CONFIG) as device:
        run_image(network, image, device)
    assert sum(isinstance(entry, RunEntry) for entry in image.run.ordered.entries) > 2

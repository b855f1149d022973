# SPDX-License-Identifier: Apache-2.0
"""Programs cut into shorter ones compute the same, and their image takes no more cycles."""

from dataclasses import replace

import pytest

from tests.host.network.test_standalone import wide
from tests.host.plan.test_cascades import blocks
from tests.support.images import SHORT, noisy_machine, run_image, with_dma
from xymac.hdl.config import TINY
from xymac.hdl.isa import Region
from xymac.host.executable.steps import Load, Start
from xymac.host.image.build import build_image, build_unchanged
from xymac.host.image.cycles import predict_list
from xymac.host.image.entries import RunEntry
from xymac.host.image.prepare.relocate import y_ranges
from xymac.host.image.prepare.shorter import shorten_programs
from xymac.host.network.linker import compile_network

CONFIG = with_dma(TINY)


def programs_run(executable):
    """The programs that the Starts of a run start."""
    program = None
    for step in executable.run:
        if isinstance(step, Load) and step.region is Region.PROGRAM:
            program = executable.arrays[step.array]
        elif isinstance(step, Start):
            yield program


def plain(programs):
    """All passes of programs, without what their neighbours decide."""
    return [replace(pass_, wait=False, last=False) for program in programs for pass_ in program]


@pytest.mark.parametrize("rows", [1, 40, 300])
def test_the_pieces_are_the_program(rows):
    executable = compile_network(wide(), CONFIG)
    cut   = shorten_programs(executable, CONFIG, rows)
    whole, pieces = [*programs_run(executable)], [*programs_run(cut)]
    assert plain(whole) == plain(pieces)
    assert len(pieces) > len(whole)
    for program in pieces:
        assert [pass_.control.last for pass_ in program] == [False] * (len(program) - 1) + [True]
        used = {row for low, high, _ in y_ranges(program, TINY.ways)
                for row in range(low, high + 1)}
        assert len(used) <= rows or len(program) == 1


def test_outputs_stay():
    network = wide()
    shorter = shorten_programs(compile_network(network, CONFIG), CONFIG, 40)
    image   = build_image(shorter, CONFIG, SHORT)
    with noisy_machine(CONFIG) as device:
        run_image(network, image, device)


def test_the_image_is_the_fastest():
    network    = wide()
    executable = compile_network(network, CONFIG, cascades=True)
    image      = build_image(executable, CONFIG, SHORT)
    best       = predict_list(image.run.ordered, CONFIG, SHORT).cycles
    runs       = sum(isinstance(entry, RunEntry) for entry in image.run.ordered.entries)
    assert runs > sum(isinstance(step, Start) for step in executable.run)
    for share in (4, 32):
        shorter = shorten_programs(executable, CONFIG, CONFIG.y_rows // share)
        other   = build_unchanged(shorter, CONFIG, SHORT)
        assert best <= predict_list(other.run.ordered, CONFIG, SHORT).cycles


def test_programs_stay_whole_where_constants_are_loaded_once():
    executable = compile_network(blocks(8, 8, residual=False), CONFIG)
    assert shorten_programs(executable, CONFIG, 1) is executable

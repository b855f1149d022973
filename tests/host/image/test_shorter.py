# SPDX-License-Identifier: Apache-2.0
"""Programs cut into shorter ones compute the same, and their image takes no more cycles."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.network.test_standalone import wide
from tests.host.plan.test_cascades import blocks
from tests.support.images import SHORT, noisy_machine, run_image, with_dma
from tests.support.seed import random_of
from tests.support.tflite.networks import constant, value
from xymac.hdl.config import TINY
from xymac.hdl.isa import Region
from xymac.host.executable.steps import Load, Start
from xymac.host.image import build
from xymac.host.image.build import build_image, build_unchanged
from xymac.host.image.constants import find_periods
from xymac.host.image.cycles import predict_list
from xymac.host.image.entries import RunEntry
from xymac.host.image.host_steps import split_steps
from xymac.host.image.prepare.relocate import y_ranges
from xymac.host.image.prepare.shorter import shorten_programs
from xymac.host.image.values import choose_place
from xymac.host.network.linker import compile_network
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import PADDING
from xymac.host.tflite.model import Model, Operator

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


def product():
    """Network of a product, whose passes write Y, and of a convolution; neither fits X."""
    x       = value("x", (1, 36, 38, 20), scale=0.25, zero_point=3)
    weights = constant("w", random_of(1).integers(-127, 128, (9, 3, 3, 20), np.int8), (0.0078125,))
    return network_of(Model((x, replace(x, name="y", scales=(4.0,)), weights,
                             value("z", (1, 18, 19, 9), scale=4.0)), (
        Operator("MUL", (0, 0), (1,), options.MulOptions()),
        Operator("CONV_2D", (0, 2, -1), (3,), options.Conv2DOptions(PADDING.SAME, 2, 2))),
        (0,), (1, 3)), "product")


def test_rows_that_passes_write_stay_apart():
    network    = product()
    executable = compile_network(network, CONFIG)
    cut        = shorten_programs(executable, CONFIG, CONFIG.y_rows, (4, 4), range(99))
    periods    = find_periods(cut, split_steps(cut).steps, CONFIG)

    assert max(sum(block.own is not None for block in each.blocks) for each in periods) > 1
    for each in periods:
        assert len({block.identity for block in each.blocks}) == len(each.blocks)
    with noisy_machine(CONFIG) as device:
        run_image(network, build_unchanged(cut, CONFIG, SHORT), device, runs=1)


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


def test_equal_values_are_searched_once(monkeypatch):
    searched, builds = [], []

    def search(shared, **options):
        searched.append((shared.key, options["arrays"]))
        return choose_place(shared, **options)

    monkeypatch.setattr(build, "choose_place", search)
    monkeypatch.setattr(build, "predict_list", lambda *arguments: builds.append(arguments)
                        or predict_list(*arguments))

    build_image(compile_network(wide(), CONFIG, cascades=True), CONFIG, SHORT)

    assert len(searched) == len({*searched}) >= 2
    assert len(builds) > 2


def test_programs_stay_whole_where_constants_are_loaded_once():
    executable = compile_network(blocks(8, 8, residual=False), CONFIG)
    assert shorten_programs(executable, CONFIG, 1) is executable

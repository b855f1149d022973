# SPDX-License-Identifier: Apache-2.0
"""Programs that begin before all their transfers have ended, and the order of these transfers."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.host.network.test_standalone import wide
from tests.host.plan.program.test_cuts import pixels
from tests.host.plan.test_cascades import blocks
from tests.support.images import SHORT, image_of, noisy_machine, run_image, with_dma
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Memory, Opcode, Program, Region
from xymac.host.executable.steps import Load, Read, Write
from xymac.host.image.build import build_image, build_unchanged
from xymac.host.image.cycles import predict_list
from xymac.host.image.entries import Move, RunEntry
from xymac.host.image.external import ExternalMemory, count_accesses
from xymac.host.image.order import order_entries
from xymac.host.image.prepare.records import SpareRows
from xymac.host.image.prepare.relocate import y_ranges
from xymac.host.network.linker import compile_network
from xymac.sim.benchmarks.bench import network_of
from xymac.sim.benchmarks.networks import NETWORKS

SDRAM = ExternalMemory()


def moves_of(entries, opcode, region):
    return [entry for entry in entries if not isinstance(entry, RunEntry)
            and (entry.opcode, entry.region) == (opcode, region)]


@pytest.mark.parametrize("channels", [3, 4])
def test_a_layer_begins_with_the_first_rows_of_its_input(channels):
    config     = with_dma(BASE)
    network    = pixels(16, channels, 2, size=64)
    executable = compile_network(network, config)
    image      = build_image(executable, config, SDRAM)
    whole      = build_unchanged(executable, config, SDRAM)
    ordered    = image.run.ordered
    loads      = moves_of(ordered.entries, Opcode.LOAD, Region.X)
    first      = next(index for index, entry in enumerate(ordered.entries)
                      if isinstance(entry, RunEntry))
    assert ordered.moves[first] < 0.5 * len(loads)
    cycles, before = (predict_list(each.run.ordered, config, SDRAM).cycles
                      for each in (image, whole))
    assert cycles < 0.9 * before
    with noisy_machine(config) as device:
        run_image(network, image, device)


def test_the_last_rows_alone_are_awaited():
    """The output leaves in parts, of which one comes after the last program."""
    config  = with_dma(TINY)
    network = blocks(12, 10, residual=False)
    image   = image_of(network, config, SDRAM, cascades=False)
    ordered = image.run.ordered
    stores  = moves_of(ordered.entries, Opcode.STORE, Region.X)
    runs    = sum(isinstance(entry, RunEntry) for entry in ordered.entries)
    counts  = [count for entry, count in zip(ordered.entries, ordered.runs, strict=True)
               if entry in stores]
    assert len(stores) > 1
    assert counts[0] < runs
    with noisy_machine(config) as device:
        run_image(network, image, device)


def autoencoder():
    """A network that ends in a layer of 640 outputs with the same scale."""
    (found,) = (each for each in NETWORKS if each.name == "ad_autoencoder")
    return network_of(found.model(), found.name)


def test_outputs_with_the_same_scale_leave_in_parts():
    """The pass with the last outputs has a copy of the scale, and of its biases, in free rows."""
    config     = with_dma(BASE)
    network    = autoencoder()
    executable = compile_network(network, config, cascades=True)
    image      = build_image(executable, config, SDRAM)
    whole      = build_unchanged(executable, config, SDRAM)
    runs       = [entry for entry in image.run.ordered.entries if isinstance(entry, RunEntry)]
    assert len(runs) == 2
    assert [run.program[-1].epilogue.once for run in runs] == [True, True]
    assert [sum(move.bytes for move in moves_of(each.ordered.entries, Opcode.STORE, Region.X))
            for each in (image.run, whole.run)] == [640, 640]
    cycles, before = (predict_list(each.run.ordered, config, SDRAM).cycles
                      for each in (image, whole))
    assert cycles < before - 90
    with noisy_machine(config) as device:
        run_image(network, image, device)


def test_outputs_with_the_same_scale_stay_together_without_rows_for_copies():
    config     = with_dma(BASE)
    executable = compile_network(autoencoder(), config, cascades=True)

    (program,) = (each for each in executable.arrays.values() if isinstance(each, Program))

    def cut(rows):
        size  = SimpleNamespace(lanes=config.lanes, ways=config.ways, y_rows=rows)
        spare = SpareRows(executable, size)
        return spare, spare.cut(program[-1], [0, 35, 40])

    spare, parts = cut(config.y_rows)
    (copy,) = spare.load
    width   = config.lanes * config.ways
    first, size = (each // width for each in (copy.first, spare.arrays[copy.array].size))
    assert (parts[1].accumulate.bias_row, size) == (first, 1 + 5)  # the scale, the biases
    assert max(last for _, last, _ in y_ranges(program, config.ways)) < first
    assert cut(first + size)[1] == parts
    assert cut(first + size - 1)[1] is None


@pytest.mark.parametrize(("step", "parts"), [
    (Load(Region.Y, 0, "new"), None), (Load(Region.X, 0, "new"), 2),
    (Write(0, SimpleNamespace(memory=Memory.Y)), None),
    (Read(0, SimpleNamespace(memory=Memory.Y)), None),
    (Write(0, SimpleNamespace(memory=Memory.X)), 2)])
def test_transfers_of_a_run_into_y_leave_no_row_for_copies(step, parts):
    config     = with_dma(BASE)
    executable = compile_network(autoencoder(), config, cascades=True)
    (program,) = (each for each in executable.arrays.values() if isinstance(each, Program))
    other      = replace(executable, run=(*executable.run, step))
    found      = SpareRows(other, config).cut(program[-1], [0, 35, 40])
    assert (found and len(found)) == parts


def test_first_constants_come_at_the_end_of_the_run_before():
    config     = with_dma(TINY)
    network    = wide()
    executable = compile_network(network, config, cascades=True)
    early, late = (build_unchanged(executable, config, SHORT, ahead=ahead)
                   for ahead in (True, False))
    counts = [len(moves_of(image.load.ordered.entries, Opcode.LOAD, Region.Y))
              for image in (early, late)]
    assert counts[0] > counts[1]
    assert predict_list(early.run.ordered, config, SHORT).idle[0] < predict_list(
        late.run.ordered, config, SHORT).idle[0]
    with noisy_machine(config) as device:
        run_image(network, early, device, runs=3)


def test_values_between_programs_leave_x_as_words():
    config  = with_dma(TINY)
    network = blocks(48, 20, residual=False)
    image   = image_of(network, config, SDRAM)
    stores  = moves_of(image.run.ordered.entries, Opcode.STORE, Region.X)
    words   = [move for move in stores if not move.narrow]
    assert sum(move.bytes for move in words) > 0
    for move in words:
        assert move.is_aligned
        assert count_accesses(move, config) < 0.6 * count_accesses(
            replace(move, narrow=True), config)
    with noisy_machine(config) as device:
        run_image(network, image, device)


def test_a_transfer_for_the_next_run_comes_before_one_that_nobody_awaits():
    runs  = [RunEntry(number, (), [], []) for number in range(2)]
    store = Move(Opcode.STORE, Region.X, 0, 64)
    load  = Move(Opcode.LOAD, Region.Y, 0, 64)
    ordered = order_entries([runs[0], store, load, runs[1]], [set(), {0}, {0}, {2}],
                            [100, 50, 50, 100])
    assert [entry for entry in ordered.entries if isinstance(entry, Move)] == [load, store]
    assert ordered.cycles == 250

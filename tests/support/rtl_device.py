# SPDX-License-Identifier: Apache-2.0
"""Programs on the RTL and on the golden machine, from the same noise in every memory."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tests.support.seed import random_of
from xymac.hdl.isa import (
    FREE_ENTRY,
    OWN_TABLES,
    TABLE_ENTRIES,
    Memory,
    Scale,
    Status,
    TablePlace,
    Width,
    bias_rows,
    records,
)
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice, RunResult
from xymac.host.plan.program.waits import set_waits

__all__ = [
    "Snapshot", "assert_counters", "assert_equals_machine", "assert_predicted", "assert_same",
    "fill", "noise", "noise_tables", "outcome", "place_tables", "run_machine", "run_rtl",
    "sizes_of", "window_bytes",
]


@dataclass(frozen=True)
class Snapshot:
    """How a program ended, and all cells of X and Y after it, uint16."""

    result: RunResult
    cells:  dict


def sizes_of(config):
    """Cells of each memory."""
    return {Memory.X: config.x_bytes // 2, Memory.Y: config.y_bytes // 2}


def noise(config, seed, passes=()):
    """Noise for all cells of X and Y, the same for one seed and size.

    Where scaled passes have their records, shifts fit multipliers of 32 bits, and biases have 32.
    """
    rng   = random_of(seed)
    cells = {memory: rng.integers(0, 1 << 16, size, dtype=np.uint16)
             for memory, size in sizes_of(config).items()}
    for pass_ in passes:
        if pass_.epilogue.scale is not Scale.NONE:
            _fit_records(cells[Memory.Y], config, pass_, rng)
    return cells


@lru_cache(maxsize=4)
def _noise_once(config, seed):
    """Read-only ``noise`` of an int without passes."""
    cells = noise(config, seed)
    for array in cells.values():
        array.flags.writeable = False
    return cells


def _fit_records(cells, config, pass_, rng):
    """Overwrite the highest cells of parameters and biases."""
    rows, count = bias_rows(config.ways), records(pass_)
    highest = cells.reshape(-1, config.ways, config.lanes)[:, 2 % config.ways]
    ahead   = rows - 1 - 2 // config.ways  # rows of a record before its highest cell
    row     = pass_.accumulate.bias_row
    for a in range(pass_.loop.outer[0]):
        ahead_of_bias = 0 if pass_.epilogue.once and a else count - 1
        bias = row + ahead_of_bias * rows
        if bias + rows > config.y_rows:
            return
        if ahead_of_bias:
            pre, post = rng.integers([[0], [25]], [[12], [45]], (2, config.lanes))
            highest[row + ahead] = pre | post << 5
        highest[bias + ahead] = rng.choice([0, 0xFFFF], config.lanes)
        row = bias + rows


def noise_tables(seed):
    """Entries for the free part of table memory, int16, and places of all tables of the host.

    The first entries are extremes, so that differences wrap; one table is all of the memory.
    """
    rng     = random_of(seed)
    entries = rng.integers(-32768, 32768, TABLE_ENTRIES - FREE_ENTRY).astype(np.int16)
    entries[:128] = rng.choice([-32768, 32767, 0, -1, 16384, -16384], 128)
    places = {table: TablePlace(FREE_ENTRY + 2 * int(rng.integers(0, 60)),
                                int(rng.integers(2, 200)), int(rng.integers(-120, 200)))
              for table in OWN_TABLES}
    places[OWN_TABLES[0]] = TablePlace(0, TABLE_ENTRIES, int(rng.integers(0, TABLE_ENTRIES)))
    return entries, places


def fill(device, seed, passes=()):
    """Fill X and Y with ``noise``, and place tables where the device can have them."""
    once = not passes and isinstance(seed, int)
    made = _noise_once(device.config, seed) if once else noise(device.config, seed, passes)
    for memory, cells in made.items():
        device.write_cells(memory, 0, cells)
    if device.config.capabilities.tables:
        place_tables(device, seed)


def place_tables(device, seed):
    """Write ``noise_tables`` to a Device."""
    entries, places = noise_tables(seed)
    device.write_table(FREE_ENTRY, entries)
    for table, place in places.items():
        device.place_table(table, place)


def _snapshot(device, result):
    return Snapshot(result, {memory: device.read_cells(memory, 0, size)
                             for memory, size in sizes_of(device.config).items()})


def run_rtl(device, passes, *, first=0, seed=None):
    """Run a program on a device, from noise if there is a seed; returns a Snapshot."""
    if seed is not None:
        fill(device, seed, passes)
    device.load_program(passes, first)
    return _snapshot(device, device.run(first, max_cycles=1_000_000))


def run_machine(config, passes, *, first=0, seed=0):
    """The same on a new golden machine, always from noise."""
    with MachineDevice(config) as machine:
        return run_rtl(machine, passes, first=first, seed=seed)


def outcome(result):
    """What both devices must tell alike of a RunResult, as a dict."""
    names = ("state", "status", "field", "pass_index", "flags")
    return {**{name: getattr(result, name) for name in names},
            "overflow": [record.overflow for record in result.trace]}


def assert_same(run, expected, passes):
    """Both Snapshots are equal in everything; the message shows passes and difference."""
    told = "\n".join(map(str, passes))
    actual, wanted = outcome(run.result), outcome(expected.result)
    assert actual == wanted, f"{actual}, not {wanted}, after\n{told}"
    for memory, cells in expected.cells.items():
        wrong = np.flatnonzero(run.cells[memory] != cells)
        assert not wrong.size, (
            f"{wrong.size} cells of {memory.name} differ, first {wrong[0]}: "
            f"{run.cells[memory][wrong[0]]:#x}, not {cells[wrong[0]]:#x}, after\n{told}")


def assert_counters(result):
    """Every cycle of the program, and of each pass, is an issued step or one stall."""
    ends = [0]
    for counters in [*(record.counters for record in result.trace), result.counters]:
        cycles, *causes = counters.values()
        assert cycles == sum(causes), counters
        assert cycles >= ends[-1], result.trace
        ends.append(cycles)


def assert_predicted(result, programs, config):
    """The cycle model of all programs is right within 2 %, at least 3 cycles; its steps exactly."""
    predictions = [predict(program, config) for program in programs]
    predicted, cycles = sum(each.cycles for each in predictions), result.counters["cycles"]
    assert sum(each.issued for each in predictions) == result.counters["issued"]
    assert abs(predicted - cycles) <= max(3, 0.02 * cycles), (
        f"Predicted {predicted} cycles, not {cycles}: {result.counters}")


def assert_equals_machine(device, passes, seed):
    """A program of ``passes`` ends well on a device just reset, tells and leaves the same as on the
    golden machine, and takes the cycles that the model says; returns the RunResult of the device.
    """
    program = set_waits(passes, device.config)
    device.harness.reset()
    actual = run_rtl(device, program, seed=seed)
    assert_same(actual, run_machine(device.config, program, seed=seed), program)
    assert_counters(actual.result)
    assert actual.result.status is Status.OK
    assert_predicted(actual.result, [program], device.config)
    return actual.result


def window_bytes(pass_, config):
    """Mask of the bytes of its memory, in linear order, that the window of Z covers; the window
    must be within its memory."""
    ways, lanes = config.ways, config.lanes
    group = np.arange(pass_.epilogue.z.low, pass_.epilogue.z.high + 1)[:, None]
    lane  = group % 4 * ways + np.arange(ways)
    index = group // 4
    way, step = (index % ways, ways) if pass_.epilogue.z_memory is Memory.Y else (0, 1)
    narrow = pass_.epilogue.z_width is Width.BITS8
    cell   = (index // step // (1 + narrow) * step + way) * lanes + lane
    mask   = np.zeros((sizes_of(config)[pass_.epilogue.z_memory], 2), bool)
    if narrow:
        mask[cell, np.broadcast_to(index // step % 2, cell.shape)] = True
    else:
        mask[cell] = True
    return mask.ravel()

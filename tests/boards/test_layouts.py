# SPDX-License-Identifier: Apache-2.0
"""The macros of the C header put cells where the host's packing does."""

import subprocess

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.boards.header import c_header
from xymac.host.memory.packing import pack_bias, pack_lanes, pack_records, pack_vectors, to_cells

WAYS = pytest.mark.parametrize("ways", [1, 2, 4])
MAIN = """
#include <stdio.h>
#include "xymac.h"
static uint8_t b[4096]; static uint16_t c[4096];
int main(void) {{
unsigned i;
{body}
for (i = 0; i < {count}; i++) {{ b[2 * i] |= c[i] & 255; b[2 * i + 1] |= c[i] >> 8; }}
for (i = 0; i < {count}; i++) printf("%u\\n", b[2 * i] | b[2 * i + 1] << 8);
return 0; }}
"""


def cells_in_c(folder, count, lines):
    """Cells that statements in C write to bytes ``b`` or cells ``c``."""
    (folder / "xymac.h").write_text(c_header())
    (folder / "main.c").write_text(MAIN.format(body="\n".join(lines), count=count))
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-o",
                    "main"], cwd=folder, check=True)
    out = subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout
    return np.array(out.split(), np.int64)


@WAYS
@pytest.mark.parametrize(("dtype", "place"), [(np.int8, "b[XYMAC_{}_BYTE"),
                                              (np.int16, "c[XYMAC_{}_CELL")])
def test_weights(ways, dtype, place, tmp_path):
    outputs, taps, inputs = 4 * ways + 2, 3, ways + 1
    weights = random_of(1).integers(-128, 128, (outputs, taps, inputs)).astype(dtype)
    cells   = pack_vectors(weights, ways)
    groups, lanes = -(-inputs // ways), 4 * ways

    lines = [f"{place.format('WORD')}({ways}u, {(o // lanes * taps + t) * groups + i // ways}u, "
             f"{i % ways}u, {o % lanes}u)] = (uint{8 * weights.itemsize}_t){weight};"
             for (o, t, i), weight in np.ndenumerate(weights)]

    np.testing.assert_array_equal(cells_in_c(tmp_path, len(cells), lines), cells)


@WAYS
@pytest.mark.parametrize(("dtype", "place"), [(np.int8, "b[XYMAC_{}_BYTE"),
                                              (np.int16, "c[XYMAC_{}_CELL")])
def test_weights_of_one_a_lane_and_elements_of_x(ways, dtype, place, tmp_path):
    weights  = random_of(2).integers(-128, 128, (4 * ways + 3, 5)).astype(dtype)
    elements = random_of(3).integers(-128, 128, 37 * ways).astype(dtype)
    bits, lanes = 8 * weights.itemsize, 4 * ways
    by_lane, of_x = pack_lanes(weights, ways), to_cells(elements, bits, lanes)

    lines = [f"{place.format('LANES')}({ways}u, {channel // lanes * 5 + tap}u, "
             f"{channel % lanes}u)] = (uint{bits}_t){weight};"
             for (channel, tap), weight in np.ndenumerate(weights)]
    more  = [f"{place.format('GROUP')}({ways}u, {index // ways}u, {index % ways}u)] = "
             f"(uint{bits}_t){element};" for index, element in enumerate(elements)]

    np.testing.assert_array_equal(cells_in_c(tmp_path, len(by_lane), lines), by_lane)
    np.testing.assert_array_equal(cells_in_c(tmp_path, len(of_x), more), of_x)


@WAYS
def test_records(ways, tmp_path):
    rng, lanes = random_of(4), 4 * ways
    mul, pre, post = (rng.integers(low, high, lanes) for low, high in (
        (-1 << 31, 1 << 31), (0, 32), (0, 64)))
    bias    = rng.integers(-1 << 47, 1 << 47, lanes)
    shifts  = (pre | post << 5) << 32
    cells   = pack_records([(mul & 0xFFFF_FFFF) + shifts, bias], ways)
    rows    = len(pack_bias(bias, ways)) // (ways * lanes)

    lines = [f"c[XYMAC_BIAS_CELL({ways}u, {row}, {part}u, {lane}u)] = "
             f"(uint16_t)({word} >> {16 * part});"
             for lane in range(lanes) for part in range(3) for row, word in (
                 ("0u", f"XYMAC_PARAMETERS({mul[lane]}, {pre[lane]}, {post[lane]})"),
                 (f"XYMAC_BIAS_ROWS({ways}u)", f"(uint64_t)INT64_C({bias[lane]})"))]
    # A bias is wider than its cells with some ways: what is above its bits is its sign.
    actual = cells_in_c(tmp_path, len(cells), lines)

    parts  = np.arange(rows * ways * lanes * 2).reshape(2, rows, ways, lanes)[:, ::-1].reshape(
        2, rows * ways, lanes)[:, :3].ravel()
    np.testing.assert_array_equal(actual[parts], cells[parts])


def test_the_examples_of_the_comment(tmp_path):
    weights = np.array([[[10 * o + i for i in range(2)]] for o in range(6)], np.int8)
    low, high = pack_vectors(weights, 1).view(np.uint8).reshape(-1, 2).T
    assert low.tolist() == [0, 10, 20, 30, 40, 50, 0, 0]
    assert high.tolist() == [1, 11, 21, 31, 41, 51, 0, 0]

    assert pack_bias(np.array([-2]), 1).reshape(3, 4)[:, 0].tolist() == [0xFFFF, 0xFFFF, 0xFFFE]
    rows = pack_bias(np.array([-2]), 2).reshape(2, 2, 8)[..., 0]
    assert [rows[1, 0], rows[1, 1], rows[0, 0]] == [0xFFFE, 0xFFFF, 0xFFFF]

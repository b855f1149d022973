# SPDX-License-Identifier: Apache-2.0
"""The floorplan: every block RAM and multiplier gets a site of its own, near where it belongs."""

import json

import pytest

from xymac.boards.tools.floorplan import arrange, sites


def netlist(ways):
    """Names and types of the hard cells of a core, as synthesis calls them."""
    cells = {f"core.sequencer.program.0.{n}": "DP16KD" for n in range(4)}
    for lane in range(4 * ways):
        cells |= {f"core.array.lane_{lane}.y_main_{lane}.0.{n}": "DP16KD" for n in range(2 * ways)}
        cells |= {f"core.array.x$99.x_{lane}.0.{n}": "DP16KD" for n in range(2)}
        cells |= {f"core.array.lane_{lane}.multiply_{n}$7.mult": "MULT18X18D" for n in range(ways)}
    for column in range(0, ways, 2):
        cells |= {f"core.tables_{column}.{name}.0.0": "DP16KD" for name in ("even", "odd")}
    return cells | {"core.issue.run": "TRELLIS_FF"}


def device(columns=60, rows=(10, 30, 50), multipliers=20):
    memories = [(2 * x, y, f"X{2 * x}/Y{y}/EBR0") for x in range(columns // 2) for y in rows]
    return {"DP16KD": memories,
            "MULT18X18D": [(3 * x, 20, f"X{3 * x}/Y20/MULT18_0") for x in range(multipliers)]}


def test_every_hard_cell_has_its_own_site_of_its_kind():
    cells, places = netlist(2), device()

    plan = arrange(cells, places, 2)

    assert plan.keys() == cells.keys() - {"core.issue.run"}
    assert len(set(plan.values())) == len(plan)
    for name, site in plan.items():
        assert site in {place[2] for place in places[cells[name]]}


def test_lanes_lie_in_a_ring_in_the_order_of_the_chain():
    cells, places = netlist(2), device()
    at = {site[2]: site[:2] for sites in places.values() for site in sites}

    plan = arrange(cells, places, 2)

    def middle(lane):
        points = [at[site] for name, site in plan.items() if f".y_main_{lane}." in name]
        return [sum(axis) / len(points) for axis in zip(*points, strict=True)]

    chain = [middle(bank * 2 + column) for column in range(2) for bank in range(4)]
    hops  = [abs(a[0] - b[0]) + abs(a[1] - b[1])
             for a, b in zip(chain, chain[1:] + chain[:1], strict=True)]
    assert max(hops) <= 40  # of 58 + 40 from corner to corner


def test_too_small_a_device_is_refused():
    with pytest.raises(ValueError, match=r"^The device has 3 MULT18X18D, the core needs 16$"):
        arrange(netlist(2), device(multipliers=3), 2)


def test_sites_come_from_the_tile_grid(tmp_path):
    tiles = {"MIB_R10C4:MIB_EBR0": "MIB_EBR0", "MIB_R10C6:MIB_EBR2": "MIB_EBR2",
             "MIB_R13C9:MIB_DSP5": "MIB_DSP5", "R2C3:PLC2": "PLC2"}
    (tmp_path / "tilegrid.json").write_text(json.dumps(
        {name: {"type": kind} for name, kind in tiles.items()}))

    assert sites(tmp_path) == {"DP16KD": [(4, 10, "X4/Y10/EBR0"), (6, 10, "X6/Y10/EBR1")],
                               "MULT18X18D": [(9, 13, "X9/Y13/MULT18_5")]}


def test_no_database_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"^The device database .*tilegrid\.json cannot be read"):
        sites(tmp_path)


def test_the_placer_chooses_the_site_of_a_dma():
    places = {"DP16KD": [(1, 1, "a")], "MULT18X18D": [(2, 2, "b")]}
    cells  = {"core.array.x.data.0.0": "DP16KD", "core.dma.decode.code.data.0.0": "DP16KD"}
    assert arrange(cells, places, 4) == {"core.array.x.data.0.0": "a"}


def test_a_processor_lies_in_a_corner_beside_the_core():
    cells, places = netlist(2), device()
    beside = {"VexRiscv.dataCache_1.ways_0_tags.0.0": "DP16KD", "rom.0.0": "DP16KD"}
    at = {site[2]: site[:2] for sites in places.values() for site in sites}

    plan = arrange({f"xymac_tiny.{name}": kind for name, kind in cells.items()} | beside, places, 2)

    assert {at[plan[name]] for name in beside} == {(58, 50), (56, 50)}

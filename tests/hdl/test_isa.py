# SPDX-License-Identifier: Apache-2.0
"""The contract, frozen: a change here is a change for every program and every driver."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from amaranth import Signal, Value

from xymac.hdl.isa import (
    FIELDS,
    FREE_ENTRY,
    PASS_WORDS,
    PLACES,
    TABLE_ENTRIES,
    TABLES,
    Access,
    AccumulatorRange,
    Adjust,
    AguMode,
    Axis,
    Count,
    Dialect,
    Encoded,
    Memory,
    Move,
    Op,
    Pass,
    Reduce,
    Region,
    Register,
    RoundMode,
    Scale,
    Shape,
    State,
    Status,
    Table,
    TablePlace,
    Width,
    bias_rows,
    pack,
    pack_place,
    pack_words,
    record_rows,
    records,
    reduce_of,
    table_of,
)

PASS = Pass(
    x=Access(base=-9, low=8, high=107, outer=(0, 16, 2), taps=(16, 2, 1)),
    y=Access(base=30, low=30, high=65, outer=(36, 0, 0), taps=(12, 4, 1), move=Move.SECOND),
    z=Access(base=200, low=200, high=299, outer=(4, 64, 8), mode=AguMode.MODULO),
    outer=(2, 7, 8), taps=(3, 3, 4), rows=Axis(1, 1, 7), cols=Axis(1, 1, 8),
    x_width=Width.BITS16, z_memory=Memory.Y, beats=3, bias_row=5, shift=-3,
    rounding=RoundMode.UP, clip=(0, 96), wait=True, table=Table.TANH, table_shift=11,
    table_rounding=RoundMode.FLOOR, reduce=Reduce.SUM, fresh=False, drop=2, anchored=True,
    adjust=Adjust.PLACES, inverted=True, entry=9, back=5,
    repeat=300, advance=(-7, 8), zero=-100)
SCALED = replace(PASS, shift=0, anchored=False, adjust=Adjust.NONE, inverted=False,
                 x_width=Width.BITS8, acc_range=AccumulatorRange.SYMMETRIC32,
                 scale=Scale.SYMMETRIC16, addend=True, zero=77, x_zero=-32640, floor=15)

OFFSETS = [
    ("op", 0), ("wait", 4), ("last", 5), ("bias", 6), ("x_shape", 7), ("y_shape", 8),
    ("x_width", 9), ("y_width", 10), ("z_width", 11), ("z_memory", 12), ("rounding", 13),
    ("acc_range", 15), ("beats", 17), ("table", 20), ("table_shift", 23), ("table_rounding", 27),
    ("reduce", 29), ("fresh", 31), ("drop", 32), ("anchored", 34), ("adjust", 35),
    ("inverted", 37), ("hold", 38), ("resume", 39), ("entry", 40), ("back", 44), ("repeat", 50),
    ("advance", 66), ("shift", 98), ("clip", 105), ("outer", 141), ("taps", 189), ("rows", 237),
    ("cols", 285), ("bias_row", 333), ("x", 349), ("y", 607), ("z", 865),
    ("scale", 975), ("addend", 977), ("zero", 978), ("x_zero", 994), ("floor", 1010),
    ("own", 1014), ("ranks", 1015), ("once", 1016)]
PACKED = int(
    "3FE700004002000020018C032000000E20000800008000180001800046000200080018000000"
    "0000480023001E000003400001000010000800008000318000800100080001000800000018C0"
    "023FFFBCE0000A001000020002000E000200020008000600060010000E0004003000001F4002"
    "3FFE404B0593E75A63251", 16)


def changed(**fields):
    return replace(PASS, **fields)


def test_layout_is_frozen():
    assert Encoded.size == 1017
    assert PASS_WORDS == 16
    assert [(name, Encoded[name].offset) for name in FIELDS] == OFFSETS


def test_pass_is_frozen():
    assert pack(PASS) == PACKED
    assert pack_words(PASS) == [PACKED >> 64 * n & (1 << 64) - 1 for n in range(PASS_WORDS)]


def test_codes_are_frozen():
    assert [code.value for code in Op] == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert [code.value for code in RoundMode] == [0, 1, 2, 3]
    assert [code.value for code in AccumulatorRange] == [0, 1, 2]
    assert [code.value for code in Scale] == [0, 1, 2, 3]
    assert [code.value for code in Table] == list(range(16))
    assert [code.value for code in Reduce] == [0, 1, 2, 3, 4, 5, 6]
    assert [code.value for code in Adjust] == [0, 1, 2, 3]
    assert [code.value for code in Move] == [0, 1, 2]
    assert [code.value for code in State] == [0, 1, 2, 3]
    assert [code.value for code in Status] == list(range(12))
    assert [code.value for code in Count] == list(range(10))
    assert [code.value for code in Dialect] == [1, 2, 4]
    assert [register.value for register in Register] == [
        0x00, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x28, 0x2C,
        0x30, 0x34, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C, 0x50, 0x54, 0x58, 0x5C]
    assert [region.value for region in Region] == [
        0, 0x10000, 0x20000, 0x30000, 0x40000, 0x100000, 0x200000]


def test_derived_fields():
    encoded = Encoded.from_bits(pack(PASS))

    assert encoded.x.agu.start == -17
    assert (encoded.x.agu.high, encoded.x.last) == (99, 99)
    assert (encoded.x.rows.start, encoded.x.rows.step) == (16, 16)
    assert (encoded.y.cols.start, encoded.y.cols.step) == (4, 4)
    assert encoded.z.order == 7
    assert Encoded.from_bits(pack(changed(x_shape=Shape.LANES))).x.last == 97


def test_scaled_fields():
    encoded = Encoded.from_bits(pack(SCALED))

    assert Encoded.from_bits(pack(replace(SCALED, once=True))).once == 1
    assert (encoded.scale, encoded.addend, encoded.once) == (Scale.SYMMETRIC16, 1, 0)
    assert (encoded.zero, encoded.x_zero, encoded.floor) == (77, -32640, 15)
    assert encoded.acc_range == AccumulatorRange.SYMMETRIC32


def test_bias_rows():
    assert [bias_rows(ways) for ways in (1, 2, 4)] == [3, 2, 1]


def test_records():
    assert [records(pass_) for pass_ in (
        replace(PASS, bias_row=None), PASS, replace(SCALED, addend=False), SCALED)] == [0, 1, 2, 3]


@pytest.mark.parametrize(("ways", "rows"), [(1, 3), (2, 2), (4, 1)])
def test_record_rows(ways, rows):
    """Of 2 outermost indices; with ``once`` the second one has a bias alone."""
    assert [record_rows(pass_, ways) for pass_ in (
        replace(PASS, bias_row=None), PASS, replace(SCALED, addend=False), SCALED,
        replace(SCALED, addend=False, once=True), replace(SCALED, once=True),
        replace(SCALED, once=True, outer=(1, 9, 9)))] == [
        count * rows for count in (0, 2, 4, 6, 3, 4, 3)]


@pytest.mark.parametrize("addend", [False, True])
def test_a_scaled_pass_may_round_twice(addend):
    encoded = Encoded.from_bits(pack(replace(SCALED, rounding=RoundMode.TWICE, addend=addend)))

    assert (encoded.rounding, encoded.addend) == (RoundMode.TWICE, addend)


def test_tables_are_those_of_the_libraries():
    folder = Path(__file__).parents[1] / "vectors"
    stored = {**np.load(folder / "luts.npz"), **np.load(folder / "mli2" / "luts.npz")}
    names  = {Table.SIGM: "v1_sigmoid", Table.TANH: "v1_tanh", Table.EXP: "v1_expneg",
              Table.SIGM_FINE: "v2_sigm", Table.TANH_FINE: "v2_tanh",
              Table.EXP_FINE: "v2_softmax", Table.ROOT: "v2_l2_normalize"}

    assert TABLES.keys() == names.keys()
    for table, name in names.items():
        assert TABLES[table].values == tuple(stored[name].tolist())
    for table in (Table.SIGM, Table.TANH, Table.EXP):  # flat beyond their ends
        assert TABLES[table].values[0] == TABLES[table].values[1]
        assert TABLES[table].values[-2] == TABLES[table].values[-1]
    assert [(samples.offset, samples.frac_bits, samples.out_frac_bits)
            for samples in TABLES.values()] == [
        (90, 3, 15), (89, 4, 15), (179, 4, 15), (160, 4, 15), (172, 5, 15), (356, 5, 15),
        (-32, 0, 17)]


@pytest.mark.parametrize("table", Table)
def test_code_of_a_table(table):
    """The bit that says that it is the host's lies apart."""
    encoded = Encoded.from_bits(pack(replace(PASS, table=table)))
    assert encoded.table | encoded.own << 3 == table.value
    assert Value.cast(table_of(Encoded(Signal(Encoded)))).shape().width == 4


@pytest.mark.parametrize("reduce", Reduce)
def test_code_of_a_reduction(reduce):
    """The bit that says that it is of the heap lies apart."""
    encoded = Encoded.from_bits(pack(changed(
        reduce=reduce, anchored=False, x_shape=Shape.LANES, beats=4)))
    assert encoded.reduce | encoded.ranks << 2 == reduce.value
    assert Value.cast(reduce_of(Encoded(Signal(Encoded)))).shape().width == 3


def test_places_are_frozen():
    assert {table.name: (place.first, place.entries, place.offset)
            for table, place in PLACES.items()} == {
        "SIGM": (0, 180, 90), "TANH": (180, 178, 89), "EXP": (358, 181, 179),
        "SIGM_FINE": (540, 320, 160), "TANH_FINE": (860, 344, 172), "EXP_FINE": (1204, 358, 356),
        "ROOT": (1562, 97, -32)}
    assert (FREE_ENTRY, TABLE_ENTRIES) == (1660, 2048)
    assert pack_place(TablePlace(1660, 257, 128)) == 1788 | 830 << 11 | 1915 << 21
    assert pack_place(None) == 0xFFFF_FFFF


@pytest.mark.parametrize(("place", "words"), [
    (TablePlace(1, 2, 0), "an even first entry and 2 entries at least within 2048, not 2 from 1"),
    (TablePlace(-2, 2, 2), "an even first entry .*, not 2 from -2 on"),
    (TablePlace(2046, 3, 0), "an even first entry .*, not 3 from 2046 on"),
    (TablePlace(0, 1, 0), "an even first entry .*, not 1 from 0 on"),
    (TablePlace(8, 9, -9), "^first and offset of a table must add up to 0 .. 2047, not 8 and -9$"),
    (TablePlace(8, 9, 2040), "must add up to 0 .. 2047, not 8 and 2040$")])
def test_places_that_do_not_fit(place, words):
    with pytest.raises(ValueError, match=words):
        pack_place(place)

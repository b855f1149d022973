# SPDX-License-Identifier: Apache-2.0
"""Vector folders: every vendor vector, and every way a folder can be wrong."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from xymac import golden
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Result, Tensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import RoundMode
from xymac.host.device.device import DeviceError
from xymac.host.errors import InputError
from xymac.host.vectors.check import build_layer, check_cases, open_evaluator
from xymac.host.vectors.files import VectorError, read_arrays, read_cases, select_cases

VECTORS = Path(__file__).parents[2] / "vectors"
CASES   = read_cases(VECTORS)


def make_folder(path, change=None, **entry):
    """Folder of one case; ``entry`` replaces keys of its index, ``change`` arrays of its file."""
    case = json.loads((VECTORS / "index.json").read_text())[0] | {"file": "case.npz"} | entry
    with np.load(VECTORS / "v1_conv2d_chw_fx8.npz") as file:
        arrays = {key: file[key] for key in file.files if key.startswith("c0_")}
    for key, array in (change or {}).items():
        arrays[key] = arrays[key] + np.int8(1) if array is None else array
    np.savez(path / "case.npz", **arrays)
    (path / "index.json").write_text(json.dumps([case]))
    return path


@pytest.mark.parametrize(("function", "variant"), sorted({
    (case.function, variant) for case in CASES for variant in case.expected}))
def test_golden_equals_the_library(function, variant):
    cases = select_cases(CASES, match=function, variant=variant)

    report = check_cases(cases, golden.run, variant=variant)

    assert report.functions[0].mismatches == []
    count = 48 if function == "mli_hlp_convert_tensor" else 12
    assert (report.passed, report.failed, report.skipped) == (count, 0, 0)
    assert report.functions[0].overflows == 0


def test_unknown_relu_is_refused(tmp_path):
    config = CASES[0].config | {"cfg": CASES[0].config["cfg"] | {"relu": 9}}

    report = check_cases(read_cases(make_folder(tmp_path, config=config)), golden.run)

    assert report.functions[0].reasons == [f"{CASES[0].id}: 9 is not a valid Relu"]
    assert report.summary == "0 passed, 2 failed, 0 skipped"


def test_variants_of_a_case_count_one_by_one():
    seen = []
    with open_evaluator("golden", TINY) as evaluate_golden:
        report = check_cases(CASES[:13], evaluate_golden, progress=seen.append)

    assert seen == CASES[:13]
    assert report.summary == "26 passed, 0 failed, 0 skipped"
    assert report.exit_code == 0
    assert [(row.function, row.cases) for row in report.functions] == [
        (CASES[0].function, 24), (CASES[12].function, 2)]


def test_the_two_variants_differ():
    """So a backend that ignores the rounding mode cannot pass."""
    def always_up(layer, *inputs):
        if hasattr(layer, "rounding"):
            layer = replace(layer, rounding=RoundMode.UP)
        return golden.run(layer, *inputs)

    assert check_cases(CASES, always_up).failed > 0
    assert check_cases(select_cases(CASES, variant="up"), always_up, variant="up").failed == 0


def test_mismatch_names_the_first_element():
    def one_wrong(layer, x):
        data = golden.run(layer, x).output.data.copy()
        data[1, 2, 3:] ^= 1
        return Result(Tensor(data, layer.out_frac_bits), overflow=True)

    report = check_cases(CASES[:1], one_wrong, variant="up")

    [mismatch] = report.functions[0].mismatches
    expected = int(read_arrays(CASES[0])["c0_out_up"][1, 2, 3])
    assert (mismatch.case, mismatch.variant, mismatch.index) == (CASES[0].id, "up", (1, 2, 3))
    assert (mismatch.expected, mismatch.actual) == (expected, expected ^ 1)
    assert mismatch.config == CASES[0].config
    assert (report.summary, report.exit_code) == ("0 passed, 1 failed, 0 skipped", 1)
    assert report.functions[0].overflows == 1
    loaded = json.loads(json.dumps(report.as_json()))
    assert loaded["functions"][0]["mismatches"][0]["index"] == [1, 2, 3]


def test_wrong_shape_and_type_are_mismatches():
    report = check_cases(CASES[:1], lambda layer, x: Result(
        Tensor(np.zeros(2, np.int16), 0), overflow=False), variant="up")

    [mismatch] = report.functions[0].mismatches
    assert (mismatch.index, mismatch.expected, mismatch.actual) == (
        None, "int8 (2, 8, 8)", "int16 (2,)")


@pytest.mark.parametrize("error", [ValueError, DeviceError])
def test_refusals_fail(error):
    def refuse(layer, x):
        raise error("Output does not fit")

    report = check_cases(CASES[:1], refuse)

    assert report.functions[0].refused == 2
    assert report.functions[0].reasons == [f"{CASES[0].id}: Output does not fit"]
    assert (report.summary, report.exit_code) == ("0 passed, 2 failed, 0 skipped", 1)


@pytest.mark.parametrize("entry", [
    {"function": "mli_krn_conv3d_chw_fx8"}, {"function": "mli_krn_conv2d_chw_fx9"},
    {"function": "conv2d"}, {"dialect": "mli-2"}], ids=str)
def test_unknown_functions_are_skipped(tmp_path, entry):
    report = check_cases(read_cases(make_folder(tmp_path, **entry)), golden.run, variant="up")

    row = report.functions[0]
    assert row.reasons == [f"{row.function} ({row.dialect}, up) is not available"]
    assert (report.summary, report.exit_code) == ("0 passed, 0 failed, 1 skipped", 1)


def first_of(function):
    return select_cases(CASES, match=function, limit=1)


def test_wrong_cell_is_a_mismatch():
    def wrong_cell(layer, x):
        result = golden.run(layer, x)
        return replace(result, cell=Tensor(result.cell.data ^ 1, 0))

    report = check_cases(first_of("mli_krn_lstm_cell_fx8"), wrong_cell, variant="up")

    [mismatch] = report.functions[0].mismatches
    assert mismatch.index == (0,)
    assert mismatch.expected == mismatch.actual ^ 1


@pytest.mark.parametrize(("name", "value", "actual"), [
    ("offset", 5, "offset 4"), ("element_size", 2, "element_size 1"),
    ("count_elem_num_from_dim", [8], "count_elem_num_from_dim [8, 4]")])
def test_wrong_helper_value_is_a_mismatch(name, value, actual):
    [case] = first_of("mli_hlp_point_to_subtensor")

    report = check_cases([replace(case, config=case.config | {name: value})], golden.run)

    [mismatch] = report.functions[0].mismatches
    assert (mismatch.index, mismatch.expected, mismatch.actual) == (
        None, f"{name} {value}", actual)


def test_moves_have_an_exact_variant():
    [case] = first_of("mli_krn_permute_fx8")
    exact = replace(case, expected={"exact": case.expected["up"]})

    assert check_cases([exact], golden.run).summary == "1 passed, 0 failed, 0 skipped"


def test_unknown_output_is_refused():
    [case] = first_of("mli_krn_relu_fx8")
    outputs = case.expected["up"] | {"cell": case.expected["up"]["out"]}
    with pytest.raises(VectorError, match=r"^mli_krn_relu_fx8 has no output 'cell', which "):
        check_cases([replace(case, expected={"up": outputs})], golden.run)


def test_unknown_variants_are_skipped(tmp_path):
    folder = make_folder(tmp_path, expected={"exact": {"out": "c0_out_up"}})
    assert check_cases(read_cases(folder), golden.run).summary == "0 passed, 0 failed, 1 skipped"


@pytest.mark.parametrize("suffix", ["_generic", "_k3x3_str1_krnpad", "_ch1_str1", "_1x1"])
def test_specialised_functions_are_the_same_kernel(tmp_path, suffix):
    folder = make_folder(tmp_path, function=f"mli_krn_conv2d_chw_fx8{suffix}")
    assert check_cases(read_cases(folder), golden.run).summary == "2 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(("function", "kind", "layout"), [
    ("mli_krn_conv2d_chw_fx8w16d", Conv2d, Layout.CHW),
    ("mli_krn_conv2d_hwc_fx16", Conv2d, Layout.HWC),
    ("mli_krn_depthwise_conv2d_chw_fx8", DepthwiseConv2d, Layout.CHW),
    ("mli_krn_fully_connected_fx16", FullyConnected, None)])
def test_build_layer(function, kind, layout):
    case = select_cases(CASES, match=function)[0]

    layer, x = build_layer(case, "up", read_arrays(case))

    assert type(layer) is kind
    assert getattr(layer, "layout", None) is layout
    assert layer.rounding is RoundMode.UP
    assert x.frac_bits == case.config["frac"]["x"]
    assert layer.out_frac_bits == case.config["frac"]["out"]
    if layout is not None:
        cfg = case.config["cfg"]
        assert layer.stride == (cfg["stride_height"], cfg["stride_width"])
        assert layer.pad == (cfg["padding_top"], cfg["padding_bottom"], cfg["padding_left"],
                             cfg["padding_right"])
        assert layer.relu.value == cfg["relu"]


def test_select():
    assert len(select_cases(CASES, dialect="mli-1")) == len(CASES) == 708
    assert len(select_cases(CASES, match="mli_krn_*conv2d_*")) == 108
    assert select_cases(CASES, match="mli_krn_fully_connected_*", limit=5) == CASES[36:41]
    with pytest.raises(ValueError, match=r"^limit must be an int of at least 1, not 0$"):
        select_cases(CASES, limit=0)
    with pytest.raises(VectorError, match=r"^None of 708 cases has dialect xs3, function \* and "
                                          r"variant any$"):
        select_cases(CASES, dialect="xs3")
    with pytest.raises(VectorError, match=r"dialect any, function \* and variant symmetric$"):
        select_cases(CASES, variant="symmetric")


@pytest.mark.parametrize(("text", "message"), [
    (None, r"^Vector folder .* has no readable index.json$"),
    ("[", r"index.json is not valid JSON: "),
    ("{}", r"index.json must hold a list of cases, not dict$"),
    ("[3]", r"^Case 0 of .*index.json must have 'id' of type str$"),
    ('[{"id": 3}]', r"^Case 0 of .*index.json must have 'id' of type str$"),
])
def test_bad_index(tmp_path, text, message):
    if text is not None:
        (tmp_path / "index.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_cases(tmp_path)


@pytest.mark.parametrize(("entry", "message"), [
    ({"config": None}, r"^Case 0 of .* must have 'config' of type dict$"),
    ({"expected": {}}, r"^Case 0 of .* must have expected outputs$"),
    ({"expected": {"up": "c0_out"}}, r"^Case 0 of .* must name its arrays, not 'c0_out'$"),
    ({"inputs": {"x": ["c0_x"]}}, r"^Case 0 of .* must name its arrays, not "),
    ({"file": "gone.npz"}, r"gone.npz, which v1_conv2d_chw_fx8/0 needs, does not exist$"),
    ({"inputs": {"x": "c9_x"}}, r"has no array 'c9_x', which v1_conv2d_chw_fx8/0 needs$"),
    ({"inputs": {"x": "c0_x"}}, r"^Case v1_conv2d_chw_fx8/0 is incomplete: 'w'$"),
    ({"config": {"frac": {}}}, r"^Case v1_conv2d_chw_fx8/0 is incomplete: 'x'$"),
    ({"config": {"frac": dict.fromkeys(["x", "w", "b", "out"], 0)}},
     r"^Case v1_conv2d_chw_fx8/0 is incomplete: 'cfg'$"),
    ({"function": "mli_krn_conv2d_chw_fx16"},
     r"^Inputs of v1_conv2d_chw_fx8/0 must be int16, int16, int16, not int8, int8, int8$"),
    ({"expected": {"up": {"cell": "c0_out_up"}}},
     r"^Case v1_conv2d_chw_fx8/0 has no expected output 'out' for up$"),
])
def test_bad_case(tmp_path, entry, message):
    with pytest.raises(VectorError, match=message):
        check_cases(read_cases(make_folder(tmp_path, **entry)), golden.run)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04", "truncated", "array"])
def test_damaged_file(tmp_path, content):
    path = make_folder(tmp_path) / "case.npz"
    if content == "truncated":
        path.write_bytes(path.read_bytes()[:500])
    elif content == "array":
        np.save(tmp_path / "array.npy", np.zeros(3, np.int8))
        shutil.move(tmp_path / "array.npy", path)
    else:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"case\.npz is damaged or not an \.npz file$"):
        check_cases(read_cases(tmp_path), golden.run)


def test_changed_byte_is_found(tmp_path):
    folder = make_folder(tmp_path, change={"c0_out_up": None})
    assert check_cases(read_cases(folder), golden.run).summary == "1 passed, 1 failed, 0 skipped"

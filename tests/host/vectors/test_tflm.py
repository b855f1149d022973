# SPDX-License-Identifier: Apache-2.0
"""Vectors of tflite-micro and LiteRT: every one on golden, damaged cases, and how they are made."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.sizes import rarely
from tests.support.tflite.arithmetic import GOLDEN
from tests.support.tflite.litert import run_litert
from tests.support.tflite.micro import run_file
from tests.support.tflite.vectors import LITERT
from tests.support.tflite.vectors import main as write_vectors
from tests.support.tflite.wild import ALL
from xymac import golden
from xymac.hdl.config import SIZES
from xymac.host.cli.main import main
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.signatures import LAYERLESS, SIGNATURES
from xymac.host.tflite.writer import write_model
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import VectorError, read_arrays, read_cases, select_cases
from xymac.host.vectors.tflm import VARIANT, model_of

VECTORS = Path(__file__).parents[2] / "vectors" / "tflm"
CASES   = read_cases(VECTORS)
#: Operators that a host alone computes.
HOST    = {"DEQUANTIZE", "BROADCAST_ARGS", *LAYERLESS, *(
    name for name, signature in SIGNATURES.items()
    if [operand.types for operand in signature.inputs[:1]] == [(TENSOR_TYPE.FLOAT32,)])}


@pytest.mark.parametrize("function", sorted({case.function for case in CASES}))
def test_golden_equals_the_library(function):
    cases = select_cases(CASES, match=function)

    report = check_cases(cases, golden.run)

    assert report.summary == f"{len(cases)} passed, 0 failed, 0 skipped", report.as_json()


def test_every_operator_has_cases():
    assert {case.function for case in CASES} == SIGNATURES.keys() - HOST - GOLDEN.keys()
    assert sum(path.stat().st_size for path in VECTORS.iterdir()) <= len(SIGNATURES) * 10 << 10


@pytest.mark.parametrize("size", ["tiny", *rarely("small", "base")])
def test_cases_run_on_a_device(size):
    with open_evaluator("machine", SIZES[size]) as evaluate:
        report = check_cases(CASES, evaluate)

    assert report.summary == f"{len(CASES)} passed, 0 failed, 0 skipped", report.as_json()


def test_the_command_checks_them(capsys):
    assert main(["check", str(VECTORS), "--dialect", "tflm", "--match", "CONV_2D"]) == 0
    assert "6 passed, 0 failed, 0 skipped" in capsys.readouterr().out


def expect_of(run, cases):
    """What an interpreter computes is what the cases say."""
    for case in cases:
        arrays = read_arrays(case)
        data   = {int(number): arrays[key] for number, key in case.inputs.items()}
        model  = model_of(case, data)

        [output] = run(write_model(model), *(data[number] for number in model.inputs))

        np.testing.assert_array_equal(output, arrays[case.expected[VARIANT]["out"]], case.id)


def is_of_litert(case):
    return case.id.partition("/")[0] in LITERT


@pytest.mark.parametrize("function", sorted({
    case.function for case in CASES if not is_of_litert(case)}))
def test_tflite_micro_gives_what_is_expected(function):
    expect_of(run_file, (case for case in select_cases(CASES, match=function)
                         if not is_of_litert(case)))


@pytest.mark.parametrize("title", sorted(LITERT))
def test_litert_gives_what_is_expected(title):
    cases = [case for case in CASES if case.id.startswith(f"{title}/")]

    assert len(cases) == 6
    expect_of(run_litert, cases)


def test_what_is_made_now_passes_as_well(tmp_path, monkeypatch):
    pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    monkeypatch.setattr("tests.support.tflite.vectors.COUNT", 2)
    if importlib.util.find_spec("ai_edge_litert") is None:
        monkeypatch.setattr("tests.support.tflite.vectors.DRAWN", ALL)

    write_vectors(["-o", str(tmp_path)])

    assert check_cases(read_cases(tmp_path), golden.run).failed == 0


def test_a_wrong_element_is_a_mismatch():
    def one_wrong(layer, *inputs):
        result = golden.run(layer, *inputs)
        data   = result.output.data.copy()
        data.reshape(-1)[-1] ^= 1
        return replace(result, output=replace(result.output, data=data))

    report = check_cases(CASES[:6], one_wrong)

    assert (report.passed, report.failed) == (0, 6)


def spoilt(change):
    """The first case after a change of its config."""
    case   = CASES[0]
    config = json.loads(json.dumps(case.config))
    change(config)
    return replace(case, config=config)


@pytest.mark.parametrize(("change", "message"), [
    (lambda config: config.pop("tensors"), "is incomplete: 'tensors'"),
    (lambda config: config["tensors"][0].pop("type"), "is incomplete: 'type'"),
    (lambda config: config["tensors"][0].update(type="FLOAT8"), "is incomplete: 'FLOAT8'"),
    (lambda config: config.update(output=3), "is incomplete: "),
    (lambda config: config.update(inputs=[99]), "is incomplete: "),
    (lambda config: config["options"].update(padding="FULL"), "is incomplete: 'FULL'")])
def test_damaged_cases_are_told(change, message):
    with pytest.raises(VectorError, match=f"Case conv_2d/0 .*{message}"):
        check_cases([spoilt(change)], golden.run)


def test_another_input_is_told():
    case = replace(CASES[0], inputs=CASES[0].inputs | {"0": CASES[0].inputs["1"]})

    with pytest.raises(VectorError, match=r"^Case conv_2d/0 must have an input of int.* of shape"):
        check_cases([case], golden.run)


def test_what_the_operator_refuses_is_a_failure():
    report = check_cases([spoilt(lambda config: config["tensors"][1].update(scales=[1.0, 2.0]))],
                         golden.run)

    assert (report.failed, report.functions[0].refused) == (1, 1)


def test_what_is_not_known_is_skipped():
    other  = replace(CASES[0], function="POW")
    report = check_cases([other, replace(CASES[0], expected={"other": {"out": "x"}})][:1],
                         golden.run)

    assert report.skipped == 1

# SPDX-License-Identifier: Apache-2.0
"""Infinite values and NaN that the host computes, by all ways to run a network."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.support.c.programs import compile_c, write_driver
from tests.support.tflite.networks import value
from xymac.host.cli.main import main
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.writer import write_model

SHAPE   = (1, 7)
FLOAT32 = TENSOR_TYPE.FLOAT32


def logarithms():
    """Model whose output has NaN where the input is below 0."""
    kind = {"scale": 0.5, "zero_point": 0}
    return Model((value("x", SHAPE, **kind), value("y", SHAPE, **kind), Tensor("r", SHAPE, FLOAT32),
                  Tensor("l", SHAPE, FLOAT32)), (
        Operator("ABS", (0,), (1,)), Operator("DEQUANTIZE", (0,), (2,)),
        Operator("LOG", (2,), (3,))), (0,), (1, 3))


def exponentials():
    """Model that quantises exponentials."""
    kind = {"scale": 0.5, "zero_point": 0}
    return Model((Tensor("x", SHAPE, FLOAT32), Tensor("e", SHAPE, FLOAT32),
                  value("q", SHAPE, **kind),
                  value("y", SHAPE, **kind)), (
        Operator("EXP", (0,), (1,)), Operator("QUANTIZE", (1,), (2,)), Operator("ABS", (2,), (3,))),
        (0,), (3,))


def save(folder, model, x):
    (folder / "net.tflite").write_bytes(write_model(model))
    np.save(folder / "x.npy", x)
    return [str(folder / "net.tflite"), "--images", str(folder / "x.npy")]


def test_nan_is_as_golden(tmp_path, capsys):
    net, *images = save(tmp_path, logarithms(), np.arange(-3, 4, dtype=np.int8)[None])

    assert main(["run", net, *images, "--dma", "32", "--backend", "machine", "--size", "tiny"]) == 0
    assert main(["compile", net, "-o", str(tmp_path / "out"), "--size", "tiny"]) == 0
    assert main(["run", str(tmp_path / "out"), *images, "--golden", net, "--backend",
                 "machine"]) == 0

    assert capsys.readouterr().out.count("Outputs = golden, bit for bit") == 2


@pytest.mark.parametrize("dma", [True, False])
def test_values_that_no_element_stands_for_are_a_sentence(dma, tmp_path, capsys):
    net, *images = save(tmp_path, exponentials(), np.full(SHAPE, 88.9, np.float32))
    more = ["--dma", "32"] if dma else []

    assert main(["run", net, *images, *more, "--backend", "machine", "--size", "tiny"]) == 2

    assert "must be less than 2**31 steps of the output's scale, not inf" in capsys.readouterr().err


def test_c_has_infinite_numbers(tmp_path):
    model   = edges()
    huge    = float(2.0**127)
    tensors = tuple(replace(each, scales=(huge,)) if each.name in ("low", "y") else each
                    for each in model.tensors)
    x       = np.array([[1e38, -3e38, 3e38, 0, 1, -1, 2e38]], np.float32)
    net, *_ = save(tmp_path, replace(model, tensors=tensors), x)

    assert main(["compile", net, "-o", str(tmp_path), "--size", "tiny", "--c", "--example",
                 str(tmp_path / "x.npy")]) == 0

    assert "(1.0f / 0.0f)" in (tmp_path / "main.c").read_text()
    write_driver(tmp_path)
    for cpp in (False, True):
        compile_c(tmp_path / "main.c", tmp_path, cpp=cpp)

# SPDX-License-Identifier: Apache-2.0
"""The list of operators of tflite-micro that are not taken is that of the installed wheel."""

import re

from docs.tables.documents import ROOT
from tests.support.tflite.micro import open_file
from tests.support.tflite.networks import value
from xymac.host.tflite.codes import OPERATOR
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.signatures import SIGNATURES
from xymac.host.tflite.writer import encode_model

TEXT   = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
LISTED = TEXT.partition("### Unsupported operators of tflite-micro")[2].split("\n\n")
#: Operators of the first table.
NAMED  = {name for line in LISTED[2].splitlines()[2:]
          for name in re.findall(r"\b[A-Z][A-Z0-9_]+\b", line.split("|")[1])
          if name in OPERATOR.__members__}
#: Operators that LiteRT alone has.
LITERT = {"TILE", "SELECT", "GELU", "RELU_0_TO_1", "RELU_N1_TO_1"}
#: One that the wheel looks up by its name, and one that the wheel opens without reading the file.
SPECIAL = {"CUSTOM", "WHILE"}


def is_known(name, capfd):
    """Whether tflite-micro has an operator, whatever it says of its operands."""
    tensors = tuple(value(each, (1, 4, 4, 4)) for each in "xy")
    model   = Model(tensors, (Operator(name, (0,), (1,)),), (0,), (1,))
    capfd.readouterr()
    try:
        open_file(encode_model(model))
    except RuntimeError:
        return "find op for builtin opcode" not in capfd.readouterr().err
    return True


def test_operators_of_the_wheel_are_taken_or_listed(capfd):
    others = {*OPERATOR.__members__} - {*SIGNATURES} - SPECIAL

    assert {name for name in others if is_known(name, capfd)} == NAMED - SPECIAL
    assert len({*SIGNATURES} - LITERT) + len(NAMED) == 100


def test_operators_that_tflite_micro_lacks(capfd):
    """Those of the last list that stand without a type."""
    lacking = ({*re.findall(r"\b[A-Z][A-Z0-9_]+\b", LISTED[6])} & {*OPERATOR.__members__}
               - {*SIGNATURES})

    assert len(lacking) > 10
    assert not {name for name in lacking if is_known(name, capfd)}

# SPDX-License-Identifier: Apache-2.0
"""Lowerings take integer operations, whatever library these come from."""

import ast

from tests.support.modules import ROOT

LIBRARIES = {"mli1", "mli2", "tflm", "xs3"}
#: Modules whose families are still lowered by library.
REST = {
    "argmax.keys", "argmax.largest", "argmax.mli2", "argmax.ranked", "argmax.single_run",
    "argmax.xs3", "interpolate.axis", "interpolate.bilinear", "interpolate.cut", "linear.matmul",
    "move.concat", "move.padding", "move.permute", "move.reshape", "move.resize", "move.slices",
    "move.subtensor", "pick.among", "pick.cast", "pick.cut", "pick.passes", "pick.update",
    "pool.extremes", "pool.mean", "recurrent.arithmetic", "recurrent.curves", "recurrent.dense",
    "recurrent.gates", "recurrent.lstm_steps", "recurrent.mli1", "recurrent.mli2",
    "recurrent.sequence", "recurrent.steps", "recurrent.sums.affine", "recurrent.sums.base",
    "recurrent.sums.fixed", "recurrent.tflm", "registry", "softmax.l2_normalize",
    "softmax.log_rows", "softmax.logarithms", "softmax.mli1", "softmax.mli2", "softmax.pairs",
    "softmax.passes", "softmax.rows.wide_shares", "softmax.share", "softmax.tflm", "transform"}


def libraries_of(source):
    """Names of the libraries in the imports of a module."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update((getattr(node, "module", None) or "").split("."))
            names.update(part for alias in node.names for part in alias.name.split("."))
    return names & LIBRARIES


def test_an_import_is_noticed():
    assert libraries_of("from xymac.golden.parameters.mli2 import limits") == {"mli2"}
    assert libraries_of("from xymac.golden import tflm") == {"tflm"}
    assert libraries_of("import xymac.golden.xs3") == {"xs3"}
    assert not libraries_of("from xymac.golden.array import Array")


def test_no_library_is_named():
    folder = ROOT / "host" / "lower"
    named  = {".".join(path.relative_to(folder).with_suffix("").parts)
              for path in folder.rglob("*.py") if libraries_of(path.read_text())}

    assert named == REST

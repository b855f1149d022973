# SPDX-License-Identifier: Apache-2.0
"""Lowerings take integer operations, whatever library these come from."""

from tests.support.modules import SOURCES, imports_of

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


def libraries_of(module, source):
    """Names of the libraries that a module imports something of."""
    return {part for target, _ in imports_of(module, source) for part in target.split(".")
            if part in LIBRARIES}


def test_an_import_is_noticed():
    sweep = "xymac.host.lower.sweep"

    assert libraries_of(sweep, "from xymac.golden.parameters.mli2 import limits") == {"mli2"}
    assert libraries_of(sweep, "from xymac.golden import tflm") == {"tflm"}
    assert not libraries_of(sweep, "from xymac.golden.array import Array")


def test_no_library_is_named():
    named = {module.partition(".lower.")[2] for module, path in SOURCES.items()
             if ".lower." in module and libraries_of(module, path.read_text())}

    assert named == REST

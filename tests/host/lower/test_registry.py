# SPDX-License-Identifier: Apache-2.0
"""Every lowered function on the vendor's vectors, and layers without passes."""

from pathlib import Path

import numpy as np
import pytest

from xymac.golden.mli1 import Rectify, Relu, Tensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.plan.plan import Plan
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases, select_cases

VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.mark.parametrize(("config", "step", "passed"), [(BASE, 4, 351), *(
    pytest.param(config, 1, 1404, marks=pytest.mark.long) for config in (TINY, SMALL, BASE))])
def test_vendor_vectors(config, step, passed):
    cases = [case for case in read_cases(VECTORS)
             if case.dialect == "mli-1"][::step]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == f"{passed} passed, 0 failed, 0 skipped", report.as_json()


#: Functions of MLI 2.0: the size that they run on, every which of their cases (`make regress` runs
#: all), and how many pass.
MLI2 = {"*conv2d_hwcn_*": (BASE, 3, 144),
        "mli_krn_fully_connected_*": (BASE, 3, 36),
        "mli_krn_rnn_dense_*": (SMALL, 1, 108),
        "mli_krn_lstm_cell_*": (SMALL, 3, 36),
        "mli_krn_gru_cell_*": (SMALL, 3, 36),
        "mli_krn_*pool_*": (BASE, 3, 72),
        "mli_krn_permute_*": (BASE, 1, 108),
        "mli_krn_*relu_*": (BASE, 3, 108),
        "mli_krn_sigm_*": (SMALL, 3, 36),
        "mli_krn_tanh_*": (SMALL, 3, 36),
        "mli_krn_softmax_*": (SMALL, 1, 72),
        "mli_krn_l2_normalize_*": (SMALL, 3, 24),
        "mli_krn_argmax_*": (BASE, 3, 24),
        "mli_krn_eltwise_*": (BASE, 3, 180),
        "mli_hlp_convert_tensor": (BASE, 3, 180)}


@pytest.mark.parametrize("function", MLI2)
def test_vendor_vectors_of_mli2(function):
    config, step, passed = MLI2[function]
    cases = select_cases(read_cases(VECTORS / "mli2"), match=function)[::step]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == f"{passed} passed, 0 failed, 0 skipped", report.as_json()
    assert all(row.cases for row in report.functions)


def test_layers_without_passes_are_refused():
    class Unknown(Rectify):
        pass

    with pytest.raises(ValueError, match=r"^There are no passes for Unknown$"):
        Plan(TINY, [Unknown(Relu.GEN)], Tensor(np.zeros(3, np.int8), 4))

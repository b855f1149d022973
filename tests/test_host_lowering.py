"""Every lowered function on the vendor's vectors, and layers without passes."""

from pathlib import Path

import numpy as np
import pytest

from golden import Rectify, Relu, Tensor
from hdl.config import BASE, SIZES, TINY
from host.check import check_cases, open_evaluator
from host.plan import Plan
from host.vectors import read_cases, select_cases


@pytest.mark.parametrize("config", SIZES.values(), ids=lambda config: config.name)
def test_vendor_vectors(config):
    cases = [case for case in read_cases(Path(__file__).parent / "vectors")
             if case.dialect == "mli-1"]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == "1404 passed, 0 failed, 0 skipped", report.as_json()


#: Functions of MLI 2.0 that move, pool, combine or convert elements, and the checks that pass. Two
#: conversions from 32 bits have too many of them to round halves to even.
ELEMENTWISE = {"mli_krn_*pool_*": "216 passed, 0 failed, 0 skipped",
               "mli_krn_permute_*": "108 passed, 0 failed, 0 skipped",
               "mli_krn_*relu_*": "324 passed, 0 failed, 0 skipped",
               "mli_krn_eltwise_*": "540 passed, 0 failed, 0 skipped",
               "mli_hlp_convert_tensor": "538 passed, 0 failed, 2 skipped"}


@pytest.mark.parametrize("function", ELEMENTWISE)
def test_vendor_vectors_of_mli2(function):
    cases = select_cases(read_cases(Path(__file__).parent / "vectors" / "mli2"), match=function)

    with open_evaluator("machine", BASE) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == ELEMENTWISE[function], report.as_json()


def test_layers_without_passes_are_refused():
    class Unknown(Rectify):
        pass

    with pytest.raises(ValueError, match="There are no passes for Unknown, only for Conv2d, "):
        Plan(TINY, [Unknown(Relu.GEN)], Tensor(np.zeros(3, np.int8), 4))

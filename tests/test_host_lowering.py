"""Every lowered function on the vendor's vectors, and layers without passes."""

from pathlib import Path

import numpy as np
import pytest

from golden import Softmax, Tensor
from hdl.config import SIZES, TINY
from host.check import check_cases, open_evaluator
from host.plan import Plan
from host.vectors import read_cases

#: Functions whose layers have no passes.
MISSING = ("softmax", "lstm_cell", "basic_rnn_cell")


@pytest.mark.parametrize("config", SIZES.values(), ids=lambda config: config.name)
def test_vendor_vectors(config):
    cases = [case for case in read_cases(Path(__file__).parent / "vectors")
             if case.dialect == "mli-1" and not any(name in case.function for name in MISSING)]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == "1212 passed, 0 failed, 0 skipped", report.as_json()


def test_layers_without_passes_are_refused():
    with pytest.raises(ValueError, match="There are no passes for Softmax, only for Conv2d, Depth"):
        Plan(TINY, [Softmax()], Tensor(np.zeros(3, np.int8), 4))

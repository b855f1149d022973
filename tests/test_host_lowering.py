"""Every lowered function on the vendor's vectors, and layers without passes."""

from pathlib import Path

import numpy as np
import pytest

from golden import BasicRnnCell, Tensor
from hdl.config import SIZES, TINY
from host.check import check_cases, open_evaluator
from host.plan import Plan
from host.vectors import read_cases

#: Functions whose layers have no passes.
MISSING = ("lstm_cell", "basic_rnn_cell")


@pytest.mark.parametrize("config", SIZES.values(), ids=lambda config: config.name)
def test_vendor_vectors(config):
    cases = [case for case in read_cases(Path(__file__).parent / "vectors")
             if case.dialect == "mli-1" and not any(name in case.function for name in MISSING)]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == "1260 passed, 0 failed, 0 skipped", report.as_json()


def test_layers_without_passes_are_refused():
    cell = BasicRnnCell(*(Tensor(np.zeros(shape, np.int8), 4) for shape in ((2, 5), (2,), (2,))), 7)

    with pytest.raises(ValueError, match="There are no passes for BasicRnnCell, only for Conv2d, "):
        Plan(TINY, [cell], Tensor(np.zeros(3, np.int8), 4))

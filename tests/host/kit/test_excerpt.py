# SPDX-License-Identifier: Apache-2.0
"""The reference calls that come with the kit: a part of those that the tests have."""

import numpy as np

from tests.support.modules import ROOT
from xymac import golden
from xymac.host.kit.stimuli.excerpt import write_excerpt
from xymac.host.kit.stimuli.recorded import SHIPPED
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import INDEX, read_cases

COUNT = 3  #: Cases of a function.


def test_what_is_shipped_is_what_the_command_writes(tmp_path):
    count = write_excerpt(ROOT / "tests" / "vectors", tmp_path, COUNT)

    assert count > 200
    assert (tmp_path / INDEX).read_text() == (SHIPPED / INDEX).read_text()
    for path in SHIPPED.glob("*.npz"):
        with np.load(path) as held, np.load(tmp_path / path.name) as made:
            assert held.files == made.files
            assert all(np.array_equal(held[name], made[name]) for name in held.files)


def test_what_is_shipped_is_what_golden_computes():
    report = check_cases(read_cases(SHIPPED), golden.run)

    assert report.passed > 300
    assert (report.failed, report.skipped) == (0, 0)

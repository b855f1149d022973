# SPDX-License-Identifier: Apache-2.0
"""The simulated speed of two source trees, in one run."""

import pytest

from tests.support.modules import ROOT
from xymac.host.errors import InputError
from xymac.sim.benchmarks.compare import compare


@pytest.mark.long
def test_a_tree_is_as_fast_as_itself():
    before, after, ratio = compare([ROOT, ROOT], "tiny", turns=5, seconds=0.3)

    assert min(before, after) > 1000
    assert 0.5 < ratio < 2


def test_a_folder_without_a_tree(tmp_path):
    with pytest.raises(InputError, match="There is no source tree of xymac in "):
        compare([tmp_path, ROOT], "tiny")

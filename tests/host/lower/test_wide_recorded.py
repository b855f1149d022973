# SPDX-License-Identifier: Apache-2.0
"""Outputs and programs of many more layers and sizes are those recorded; see
``tests.support.recorded_wide``.
"""

import pytest

from tests.support.recorded import SAME_SEED
from tests.support.recorded_wide import WIDE

pytestmark = [SAME_SEED, pytest.mark.long]


@pytest.mark.parametrize("group", WIDE.groups)
def test_outputs_and_programs_are_those_recorded(group):
    assert WIDE.made(group) == WIDE.known(group)

# SPDX-License-Identifier: Apache-2.0
"""Programs of many layers, and their predicted cycles, are those recorded.

``python -m tests.support.recorded`` records them anew after an intended change.
"""

import pytest

from tests.support.recorded import PROGRAMS, SAME_SEED

pytestmark = SAME_SEED


@pytest.mark.parametrize("group", PROGRAMS.groups)
def test_programs_are_those_recorded(group):
    assert PROGRAMS.made(group) == PROGRAMS.known(group)

# SPDX-License-Identifier: Apache-2.0
"""Calls with a wrong or unusual input or field are refused, or computed, as recorded."""

import pytest

from tests.support.recorded import SAME_SEED, WRONG

pytestmark = SAME_SEED


@pytest.mark.parametrize("group", WRONG.groups)
def test_wrong_calls_end_as_recorded(group):
    assert WRONG.made(group) == WRONG.known(group)

# SPDX-License-Identifier: Apache-2.0
"""Calls of the functions by name, legal and with wrong values, end as recorded."""

import pytest

from tests.support.recorded import CALLS_BY_NAME, SAME_SEED

pytestmark = SAME_SEED


@pytest.mark.parametrize("group", CALLS_BY_NAME.groups)
def test_calls_end_as_recorded(group):
    assert CALLS_BY_NAME.made(group) == CALLS_BY_NAME.known(group)

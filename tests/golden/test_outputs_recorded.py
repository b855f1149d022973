# SPDX-License-Identifier: Apache-2.0
"""Outputs of many layers of every kind are those recorded; see ``tests.support.recorded``."""

import pytest

from tests.support.recorded import OUTPUTS, SAME_SEED

pytestmark = SAME_SEED


@pytest.mark.parametrize("group", OUTPUTS.groups)
def test_outputs_are_those_recorded(group):
    assert OUTPUTS.made(group) == OUTPUTS.known(group)

# SPDX-License-Identifier: Apache-2.0
"""Calls with a wrong or unusual input or field are refused, or computed, as recorded.

A refusal is a sentence of golden, never an accident of Python or numpy.
"""

import pytest

from tests.support.recorded import SAME_SEED, WRONG

pytestmark = SAME_SEED


@pytest.mark.parametrize("group", WRONG.groups)
def test_wrong_calls_end_as_recorded(group):
    made = WRONG.made(group)

    assert made == WRONG.known(group)
    assert not set("vtox") & set("".join(line.split()[1] for line in made))

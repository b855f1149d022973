# SPDX-License-Identifier: Apache-2.0
"""What is derived from scales, binary points and zero points, against exact fractions"""

import pytest

from tests.support.exact import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_equals_fractions(name):
    CHECKS[name]()

# SPDX-License-Identifier: Apache-2.0
"""Sizes of cores as parameters of tests, and parameters that ``make long`` tests."""

import pytest

from xymac.hdl.config import BASE, COMPACT, SIZES, SMALL, TINY

from .seed import SEED

__all__ = ["TRIED", "between", "each_core", "each_name", "each_size", "rarely"]

#: Sizes that random tests draw from, by name: small lies between others and takes a compilation.
TRIED = [name for name in SIZES if SEED.thorough or name != SMALL.name]


def between(*values):
    """A parameter that lies between others: tested where there is time, by ``make long``."""
    return pytest.param(*values, marks=pytest.mark.long)


def rarely(*values):
    """Parameters like others beside them: tested where there is time, by ``make long``."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


each_size = pytest.mark.parametrize("config", [TINY, between(SMALL), BASE],
                                    ids=lambda config: config.name)
each_name = pytest.mark.parametrize("size", ["tiny", between("small"), "base"])
each_core = pytest.mark.parametrize("config", [TINY, between(SMALL), BASE, COMPACT],
                                    ids=lambda config: config.name)

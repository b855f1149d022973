"""Sizes of cores as parameters of tests."""

import pytest

from hdl.config import BASE, SMALL, TINY

__all__ = ["between", "each_size"]


def between(*values):
    """A parameter that lies between others: tested where there is time, by ``make long``."""
    return pytest.param(*values, marks=pytest.mark.long)


each_size = pytest.mark.parametrize("config", [TINY, between(SMALL), BASE],
                                    ids=lambda config: config.name)

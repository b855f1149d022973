# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the C tests."""

import pytest

from tests.support.c.programs import write_driver


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A folder with the driver."""
    folder = tmp_path_factory.mktemp("mli")
    write_driver(folder)
    return folder

# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the C tests."""

from pathlib import Path

import pytest

from tests.support.c.external import image_for
from tests.support.c.programs import write_driver
from xymac.host.network.load import load_model

CNN = Path(__file__).parents[3] / "host/examples/data/digits_cnn.tflite"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A folder with the driver."""
    folder = tmp_path_factory.mktemp("mli")
    write_driver(folder)
    return folder


@pytest.fixture(scope="module")
def cnn():
    """A network and its Image."""
    network = load_model(CNN)
    return network, image_for(network)

# SPDX-License-Identifier: Apache-2.0
"""An executable becomes JSON and arrays, and the same executable again."""

from pathlib import Path

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.host.lower.recurrent.test_mli1 import cell, sequence
from tests.support.seed import random_of
from tests.support.tflite.states import STATES
from xymac.golden.mli1 import LstmCell, RnnMode, Sigmoid
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import InputError
from xymac.host.network.description import describe, read_description
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.network.network import join_layers
from xymac.host.network.tflite import network_of

CNN = Path(__file__).parents[3] / "host/examples/data/digits_cnn.tflite"


@pytest.mark.parametrize(("network", "config", "named"), [
    (lambda: load_model(CNN), BASE, "takes"),
    (lambda: network_of(edges(), "edges"), TINY, "kernel"),
    (lambda: network_of(STATES["SVDF"](random_of(3)), "kept"), BASE, "states"),
    (lambda: join_layers("curve", sequence(3, 5), (Sigmoid(),)), TINY, "offset"),
    (lambda: join_layers("cell", sequence(31, 300), (
        cell(LstmCell, 300, 5, RnnMode.BATCH_TO_BATCH),)), TINY, "pieces")],
    ids=["windows", "host", "states", "tables", "carried"])
def test_a_description_is_read_back(network, config, named):
    content, arrays = describe(compile_network(network(), config))

    again, same = describe(read_description(content, arrays))

    assert f"'{named}': " in str(content)
    assert again == content
    assert same.keys() == arrays.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(same[key], array, strict=True)


def test_an_output_that_is_no_value_is_refused():
    content, arrays = describe(compile_network(load_model(CNN), BASE))
    content["outputs"][-1]["value"] = -27

    with pytest.raises(InputError, match=r"^The compiled network has no value -27, which is an "):
        read_description(content, arrays)

# SPDX-License-Identifier: Apache-2.0
"""Networks of operators that move elements in RTL, views among them."""

import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.graphs import moving_graph
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.picks import open_batch_network
from xymac.hdl.config import SIZES


@pytest.mark.parametrize(("size", "count"), [("base", 20), ("tiny", 10)])
def test_graphs(size, count, rtl):
    for key in range(count):
        model = moving_graph(random_of((key, 2)), 5)
        assert_model(SIZES[size], model, *random_inputs(model, key), device=rtl(size))


def test_what_memory_held(rtl):
    """An input of BATCH_TO_SPACE_ND with fewer images than its output."""
    model = open_batch_network(random_of((1, 77)))
    assert_model(SIZES["base"], model, *random_inputs(model), device=rtl("base"))

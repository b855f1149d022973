# SPDX-License-Identifier: Apache-2.0
"""Devices that get several images of an input wrong, which a limit of ``batches`` draws."""

import numpy as np
import pytest

from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.where.locate import locate


def _zero_last(output):
    output = output.copy()
    output[1:][-1:] = 0
    return output


@pytest.mark.parametrize("operation", ["conv2d", "average_pool", "max_pool"])
@pytest.mark.parametrize(("change", "sentence"), [
    (lambda output: np.broadcast_to(output[:1], output.shape),
     "cases every batch is the first one"),
    (lambda output: output[::-1], "cases the order of the batches is reversed"),
    (_zero_last, "in the last batch")], ids=["first", "reversed", "last"])
def test_wrong_batches_are_named(operation, change, sentence):
    cases  = generate(Supports(operation, "tflm", "int8", {"batches": (1, 2, 3)}), 40).cases
    wanted = [case.expected() for case in cases]

    found = locate(cases, wanted, [np.array(change(output)) for output in wanted]).sentence

    assert sentence in found

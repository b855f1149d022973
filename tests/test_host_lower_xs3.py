"""Convolutions and matrices of the XS3 library as passes against the golden kernels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from golden.xs3_kernels import Integers, Window, Xs3Conv2dDeep, Xs3Conv2dDepthwise
from hdl.config import BASE, SMALL, TINY
from host.check import check_cases, open_evaluator
from host.plan import Plan
from host.refuse import NoPassesError
from host.vectors import read_cases, select_cases
from tests.lowered import assert_equals_golden

CASES = read_cases(Path(__file__).parent / "vectors" / "xs3")


def layer_of(kind, seed, window, zero_point=0, bias=None, **options):
    """A layer of 8 channels, and its input of 6 rows and 5 columns."""
    rng   = np.random.default_rng(seed)
    shape = (3, 2, 8) if kind is Xs3Conv2dDepthwise else (12, 3, 2, 8)
    bso   = np.zeros((1, 7, 16), np.int16)
    bso[:, 0]   = rng.integers(-2, 2, 16) if bias is None else bias
    bso[:, 1]   = rng.integers(-32768, 32767, 16)
    bso[:, 2]   = rng.integers(0, 5, 16)
    bso[:, 3:6] = rng.integers(-32768, 32767, (3, 16))
    bso[:, 6]   = rng.integers(19, 24, 16)
    weights, x  = (Integers(rng.integers(-128, 127, size, np.int8, endpoint=True))
                   for size in (shape, (6, 5, 8)))
    return kind(weights, Integers(bso), window, zero_point, **options), x


@pytest.mark.parametrize("kind", [Xs3Conv2dDeep, Xs3Conv2dDepthwise])
@pytest.mark.parametrize("window", [
    Window((4, 4)), Window((6, 5), (-1, -1)), Window((3, 4), (-2, 1), (3, 1)),
    Window((4, 5), (-7, -4), (4, 3))])
def test_layers_equal_golden(kind, window):
    """Windows inside, over the border, and beside the image."""
    for config, zero in ((BASE, 0), (SMALL, -128), (TINY, 77)):
        assert_equals_golden(config, *layer_of(kind, zero + 128, window, zero, low=-127))


@pytest.mark.parametrize("function", ["conv2d_deep", "conv2d_shallowin", "conv2d_depthwise",
                                      "conv2d_1x1", "fully_connected_16", "fully_connected_8",
                                      "fc_deepin_shallowout_16"])
def test_machine_equals_the_library(function):
    cases = select_cases(CASES, match=function)

    with open_evaluator("machine", BASE) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == "19 passed, 0 failed, 5 skipped"


@pytest.mark.parametrize(("change", "message"), [
    ({"bias": -32768}, r"^Sums must stay within 2147483647 for every input, not \d+$"),
    ({"final_shift": True}, r"^Outputs with final_shift are rounded twice$")])
def test_what_the_sum_cannot_be_is_refused(change, message):
    layer, x = layer_of(Xs3Conv2dDeep, 0, Window((4, 4)), **change)
    with pytest.raises(NoPassesError, match=message):
        Plan(BASE, [layer], x)


def test_other_windows_need_no_passes_of_their_own():
    layer, x = layer_of(Xs3Conv2dDeep, 0, Window((6, 5), (-1, -1)))
    other    = replace(layer, window=Window((4, 4)))

    assert [len(Plan(BASE, [one], x).program) for one in (layer, other)] == [1, 1]

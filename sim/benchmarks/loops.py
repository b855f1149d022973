# SPDX-License-Identifier: Apache-2.0
"""Golden convolution speed against seven plain loops over Python ints."""

from time import perf_counter

from xymac.golden import run

__all__ = ["golden_speed", "plain_conv2d"]

REPEATS = 15


def plain_conv2d(x, weights, bias, pad, bias_shift):
    """Convolution sums, stride 1, equal ``pad`` on all sides, from nested int lists.

    ``x`` is (C, H, W), ``weights`` (N, C, Kh, Kw); returns a list of N * Ho * Wo sums.
    """
    rows, cols = len(x[0]), len(x[0][0])
    taps_down, taps_right = len(weights[0][0]), len(weights[0][0][0])
    sums = []
    for kernel, start in zip(weights, bias, strict=True):
        for top in range(-pad, rows + pad - taps_down + 1):
            for left in range(-pad, cols + pad - taps_right + 1):
                acc = start << bias_shift
                for image, plane in zip(x, kernel, strict=True):
                    for i in range(max(0, -top), min(taps_down, rows - top)):
                        for j in range(max(0, -left), min(taps_right, cols - left)):
                            acc += image[top + i][left + j] * plane[i][j]
                sums.append(acc)
    return sums


def golden_speed(layer, x):
    """Seconds for the golden kernel (fastest of several calls) and for the plain loops."""
    operands = x.data.tolist(), layer.weights.data.tolist(), layer.bias.data.tolist()
    start = perf_counter()
    plain_conv2d(*operands, layer.pad[0], layer.bias_shift(x))
    plain = perf_counter() - start
    run(layer, x)
    golden = []
    for _ in range(REPEATS):
        start = perf_counter()
        run(layer, x)
        golden.append(perf_counter() - start)
    return min(golden), plain

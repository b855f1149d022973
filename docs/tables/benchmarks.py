# SPDX-License-Identifier: Apache-2.0
"""The benchmarks as ``xymac bench`` measures them, and idle cycles between passes."""

from xymac.hdl.config import BASE
from xymac.sim.benchmarks.bench import measure_benchmark
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.gaps import idle_between
from xymac.sim.rtl.device import RtlDevice

from .table import markdown

__all__ = ["BENCHMARK_NAMES", "benchmarks", "gaps", "static_columns"]

BENCHMARK_NAMES = {
    "conv3x3_fx8":       "conv 3x3, pad 1, 32x32x16 to 16, fx8",
    "conv3x3_fx16":      "the same, fx16",
    "conv3x3_fx8w16d":   "the same, fx8w16d",
    "conv1x1_fx8":       "conv 1x1, 6x6x128 to 128, fx8",
    "conv5x5_c3_fx8":    "conv 5x5, pad 2, 32x32x3 to 32, fx8",
    "fc_fx8":            "fully connected 640 to 128, fx8",
    "fc_fx16":           "the same, fx16",
    "depthwise3x3_fx8":  "depthwise 3x3, pad 1, 12x12x64, fx8",
    "maxpool2x2_fx8":    "max pooling 2x2, 32x32x32, fx8",
    "avepool3x3_fx8":    "average pooling 3x3, stride 2, 32x32x32, fx8",
    "relu_fx8":          "relu of 16,384 elements, fx8",
    "add_fx8":           "addition of 16,384 elements, fx8",
    "mul_fx8":           "multiplication of 16,384 elements, fx8",
    "sigm_fx16":         "sigmoid of 4,096 elements, fx16",
    "tanh_fx16":         "tanh of 4,096 elements, fx16",
    "softmax_fx16":      "softmax of 1,000 elements, fx16",
    "permute_fx8":       "permute, HWC to CHW of 32x32x16, fx8",
    "permute_fx16":      "the same, fx16",
    "lstm_fx16":         "LSTM cell, 32 to 32, 128 steps, fx16",
    "lstm_fx8w16d":      "the same, fx8w16d",
    "conv3x3_sa8":       "conv 3x3, pad 1, 32x32x16 to 16, SA8",
    "depthwise3x3_sa8":  "depthwise 3x3, pad 1, 12x12x64, SA8",
    "group_conv3x3_sa8": "group conv 3x3, pad 1, 16x16x64 to 64 in 8 groups, SA8",
    "add_sa8":           "addition of 16,384 elements, SA8, three scales and zero points",
    "lookup8":           "table of 256 elements, 8,192 bytes, XS3",
    "conv3x3_xs3":       "conv 3x3, pad 1, 16x16x32 to 32, XS3",
    "argmax_top1":       "place of the largest of 1,000 elements, MLI 2.0, fx16",
    "argmax_top5":       "places of the 5 largest of 1,000 elements, MLI 2.0, fx16",
    "l2_normalize_fx16": "L2 normalisation of 500 elements, MLI 2.0, fx16",
    "fc_to1_fx8":         "fully connected 60,000 to 1, fx8",
    "fc_to4_fx8":         "fully connected 16,000 to 4, fx8",
    "fc_to12_fx8":        "fully connected 8,000 to 12, fx8",
    "conv3x3_c4_to4_fx8": "conv 3x3, pad 1, of 4 channels to 4, fx8",
    "conv3x3_c8_to8_fx8": "conv 3x3, pad 1, of 8 channels to 8, fx8",
    "conv3x3_c8_to12_fx8": "conv 3x3, pad 1, of 8 channels to 12, fx8",
    "conv1x1_c16_to8_fx8": "conv 1x1 of 16 channels to 8, fx8",
    "conv3x3_c4_to16_fx8": "conv 3x3, pad 1, of 4 channels to 16, fx8",
    "conv3x3_c8_to4_fx8": "conv 3x3, pad 1, of 8 channels to 4, fx8",
    "conv5x5_c1_to16_fx8": "conv 5x5, pad 2, of 1 channel to 16, fx8",
    "depthwise3x3_c1_fx8": "depthwise 3x3, pad 1, 64x64x1, fx8",
    "maxpool2x2_c1_fx8":  "max pooling 2x2, 64x64x1, fx8",
    "avepool2x2_c1_fx8":  "average pooling 2x2, 64x64x1, fx8",
    "maxpool2x2_c4_fx8":  "max pooling 2x2, 48x48x4, fx8",
    "avepool2x2_c4_fx8":  "average pooling 2x2, 48x48x4, fx8",
    "softmax_144x2_int8": "softmax of 144 rows of 2, int8",
    "softmax_10_int8":    "softmax of 10 elements, int8",
    "softmax_10_corrected_int8": "softmax of 10 elements, int8, most other scales",
    "mul_c3_int8":        "product with a constant a channel, 64x64x3, int8",
    "add_c3_int8":        "sum with a constant a channel, 64x64x3, int8",
    "add_int8":           "addition of 16,384 elements, int8",
    "pad_channels_int8": "PAD of int8, channels behind those that are there",
    "depthwise3x3_x2_int8": "depthwise 3x3, two outputs a channel, int8",
    "pad_conv3x3_int8":   "PAD of 1 and conv 3x3, 32x32x16 to 16, int8",
    "lstm_28x28_to20_int8": "LSTM of TensorFlow Lite, 28 steps of 28 to 20, int8",
    "cifar10_large_fx8": "CIFAR-10, large network of the vendor's example, fx8",
}


def static_columns(benchmark):
    """Columns before any measurement: name, ideal, target."""
    return (BENCHMARK_NAMES[benchmark.name], f"{benchmark.ideal(BASE):,.0f}",
            f"{benchmark.target:.2f}")


def benchmarks():
    """Cycles in RTL on base beside the cycle model's prediction."""
    rows = []
    with RtlDevice(BASE) as device:
        for benchmark in BENCHMARKS:
            row = measure_benchmark(device, benchmark)
            name, ideal, target = static_columns(benchmark)
            rows.append((name, f"{row.cycles:,}", ideal, f"{row.ratio:.3f}", target,
                         f"{row.predicted:,}", f"{row.error:+.2%}"))
    return markdown(("benchmark", "cycles", "ideal", "ratio", "target", "predicted", "error"), rows)


def gaps():
    """Idle cycles between two passes on base, and their limits."""
    with RtlDevice(BASE) as device:
        independent, _   = idle_between(device, dependent=False)
        dependent, depth = idle_between(device, dependent=True)
    return markdown(("the second pass", "idle cycles", "at most"), [
        ("reads nothing that the first writes", f"{independent}", "4"),
        ("reads what the first writes last", f"{dependent}", f"depth {depth} + 8")])

# SPDX-License-Identifier: Apache-2.0
"""Whole TensorFlow Lite networks as ``xymac bench --networks`` measures them."""

from xymac.hdl.config import BASE
from xymac.host.network.tflite import network_of
from xymac.sim.benchmarks.network_bench import measure_network
from xymac.sim.benchmarks.networks import NETWORKS
from xymac.sim.rtl.device import RtlDevice

from .table import markdown

__all__ = ["NETWORK_NAMES", "networks", "static_columns"]

NETWORK_NAMES = {
    "ic_resnet8":         "image classification, ResNet-8",
    "kws_ds_cnn":         "keyword spotting, DS-CNN",
    "vww_mobilenet":      "visual wake words, MobileNet v1 of a fourth of the channels",
    "ad_autoencoder":     "anomaly detection, autoencoder",
    "streaming_wakeword": "streaming wakeword, depthwise along time",
    "large_resnet":       "a residual network with more weights than Y holds",
    "depthwise3x3":       "one depthwise 3x3, pad 1, 12x12x64",
}


def static_columns(benchmark):
    """Columns before any measurement: name, target."""
    return NETWORK_NAMES[benchmark.name], f"{benchmark.target:,}"


def networks():
    """Cycles per input in RTL on base, all layers compared, next to ideal cycles and targets."""
    rows = []
    with RtlDevice(BASE) as device:
        for benchmark in NETWORKS:
            row = measure_network(device, network_of(benchmark.model(), benchmark.name),
                                  benchmark.target)
            name, target = static_columns(benchmark)
            rows.append((name, f"{row.layers}", f"{row.programs}", f"{row.cycles:,}",
                         f"{row.ideal:,.0f}", f"{row.used:.0%}", target, f"{row.predicted:,}"))
    return markdown(("network", "layers", "programs", "cycles", "ideal", "used", "target",
                     "predicted"), rows)

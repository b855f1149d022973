# SPDX-License-Identifier: Apache-2.0
"""Networks with MLPerf Tiny's shapes and a larger network, with random constants and cycle
targets.

Source: mlcommons/tiny (1afd2c9820f7), benchmark/training: the operators in its int8 files.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xymac.host.tflite.codes import PADDING

from .draw import Drawing

__all__ = ["NETWORKS", "NetworkBenchmark"]


@dataclass(frozen=True)
class NetworkBenchmark:
    """A benchmark network with its cycle target.

    Parameters
    ----------
    name : str, as in the result file
    draw : function that adds the operators to a Drawing with the input
    shape : tuple of int, input shape
    target : int, cycle limit on base
    """

    name:   str
    draw:   Callable
    shape:  tuple
    target: int

    def model(self):
        """The Model, the same at every call."""
        drawing = Drawing(np.random.default_rng(len(self.name)), self.shape)
        self.draw(drawing)
        return drawing.model(self.name)


def _resnet(drawing, channels=(16, 32, 64), blocks=1, classes=10):
    """Residual network: stages of blocks with two 3x3 convolutions; stages after the first halve
    the image.
    """
    drawing.conv(channels[0], (3, 3))
    for stage, count in enumerate(channels):
        for block in range(blocks):
            begin, halves = drawing.last, stage > 0 and block == 0
            stride = (2, 2) if halves else (1, 1)
            drawing.conv(count, (3, 3), stride)
            drawing.conv(count, (3, 3), relu=False)
            long = drawing.last
            if halves:
                drawing.last = begin
                drawing.conv(count, (1, 1), stride, relu=False)
                begin, drawing.last = drawing.last, long
            drawing.add(begin)
    drawing.average()
    drawing.dense(classes)
    drawing.softmax()


def _ds_cnn(drawing):
    """Keyword spotting."""
    drawing.conv(64, (10, 4), (2, 2))
    for _ in range(4):
        drawing.depthwise()
        drawing.conv(64)
    drawing.average()
    drawing.dense(12)
    drawing.softmax()


def _mobilenet(drawing):
    """Visual wake words: MobileNet v1 with a quarter of the channels."""
    drawing.conv(8, (3, 3), (2, 2))
    for outputs, step in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *((128, 1),) * 5,
                          (256, 2), (256, 1)):
        drawing.depthwise(stride=(step, step))
        drawing.conv(outputs)
    drawing.average()
    drawing.dense(2)
    drawing.softmax()


def _autoencoder(drawing):
    """Anomaly detection."""
    for outputs in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        drawing.dense(outputs, relu=True)
    drawing.dense(640)


def _wakeword(drawing):
    """Streaming wakeword: depthwise convolutions along time."""
    for taps, outputs in ((3, 128), (5, 128), (10, 128), (15, 32)):
        drawing.depthwise((taps, 1), padding=PADDING.VALID, relu=False)
        drawing.conv(outputs, padding=PADDING.VALID)
    drawing.average()
    drawing.dense(3)
    drawing.softmax()


def _large_resnet(drawing):
    """A residual network with half a megabyte of weights, more than Y holds on base."""
    _resnet(drawing, (40, 80, 160))


#: The targets exceed the sum of the layers' own cycles by overheads that are not hidden.
NETWORKS = (
    NetworkBenchmark("ic_resnet8", _resnet, (1, 32, 32, 3), 193_000),
    NetworkBenchmark("kws_ds_cnn", _ds_cnn, (1, 49, 10, 1), 47_500),
    NetworkBenchmark("vww_mobilenet", _mobilenet, (1, 96, 96, 3), 146_000),
    NetworkBenchmark("ad_autoencoder", _autoencoder, (1, 640), 5_000),
    NetworkBenchmark("streaming_wakeword", _wakeword, (1, 30, 1, 40), 15_200),
    NetworkBenchmark("large_resnet", _large_resnet, (1, 32, 32, 3), 1_250_000),
    NetworkBenchmark("depthwise3x3", lambda drawing: drawing.depthwise(), (1, 12, 12, 64), 2_550),
)

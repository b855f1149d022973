# SPDX-License-Identifier: Apache-2.0
"""Random networks on images: convolutions, pools, sums and moves, each on an earlier value."""

from math import prod, sqrt

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING
from xymac.host.tflite.model import Model, Operator

from .cases import INT8, INT16, activation, windows
from .moves import MOVES, ints, like
from .networks import constant, value
from .picks import PICKS

__all__ = ["image_network"]

_MOST     = 6000  # elements of a value
_CHANNELS = (1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 48)
_FUSED    = (ACTIVATION.NONE, ACTIVATION.RELU, ACTIVATION.RELU6)
_MOVES    = ("PAD", "TRANSPOSE", "SPLIT", "SLICE", "STRIDED_SLICE", "SPLIT_V", "CONCATENATION",
             "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2")
_BYTES    = ("MIRROR_PAD", "SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "RESIZE_BILINEAR")  # of INT8 alone
_SUMS     = {"ADD": options.AddOptions, "SUB": options.SubOptions, "MUL": options.MulOptions}


def image_network(rng, count):
    """Model of up to ``count`` operators of INT8 or INT16; values that no operator reads are
    outputs.
    """
    network = _Network(rng)
    steps   = (network.conv, network.conv, network.depthwise, network.depthwise, network.pool,
               network.join, network.gate, network.curve, network.move, network.move)
    for _ in range(count):
        step = steps[rng.integers(len(steps))]
        step(network.live[-1] if rng.integers(4) else int(rng.choice(network.live)))
    return network.model()


class _Network:
    """Tensors and operators so far; ``live`` are the numbers of images."""

    def __init__(self, rng):
        self.rng, self.kind    = rng, INT16 if rng.integers(5) == 0 else INT8
        self.tensors, self.operators, self.inputs = [], [], []
        size      = *rng.integers(1, 20, 2).tolist(), int(rng.choice(_CHANNELS[:8]))
        self.live = [self._put(self._drawn((1, *size)))]
        self.inputs.append(self.live[0])

    def model(self):
        """The Model, without the tensors that no operator has."""
        read  = {number for each in self.operators for number in each.inputs}
        made  = [number for each in self.operators for number in each.outputs]
        place = {number: index for index, number in enumerate(sorted(read | set(made)))}
        def moved(numbers):
            return tuple(place[number] for number in numbers)
        return Model(
            tuple(self.tensors[number] for number in place),
            tuple(Operator(each.name, moved(each.inputs), moved(each.outputs), each.options)
                  for each in self.operators),
            moved(number for number in self.inputs if number in read),
            moved(number for number in made if number not in read))

    def conv(self, x):
        """CONV_2D of any window, or of pixels."""
        shape   = self.tensors[x].shape
        kernel, stride, dilation, padding = self._window(x)
        if self.rng.integers(3) == 0:
            kernel, stride, dilation = (1, 1), (1, 1), (1, 1)
        outputs = int(self.rng.choice(_CHANNELS))
        self._sum("CONV_2D", x, (outputs, *kernel, shape[3]), 0, (
            shape[0], *windows(padding, shape, kernel, stride, dilation), outputs),
            options.Conv2DOptions(padding, stride[1], stride[0], self._fused(), dilation[1],
                                  dilation[0]))

    def depthwise(self, x):
        """DEPTHWISE_CONV_2D of up to three outputs a channel."""
        shape   = self.tensors[x].shape
        kernel, stride, dilation, padding = self._window(x)
        stride  = stride[:1] * 2
        each    = int(self.rng.choice([1, 1, 2, 3]))
        self._sum("DEPTHWISE_CONV_2D", x, (1, *kernel, shape[3] * each), 3, (
            shape[0], *windows(padding, shape, kernel, stride, dilation), shape[3] * each),
            options.DepthwiseConv2DOptions(padding, *stride, each, self._fused(), dilation[1],
                                           dilation[0]))

    def pool(self, x):
        """MAX_POOL_2D or AVERAGE_POOL_2D."""
        tensor  = self.tensors[x]
        kernel, stride, _, padding = self._window(x)
        size    = windows(padding, tensor.shape, kernel, stride, (1, 1))
        name    = str(self.rng.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]))
        self._add(name, (x,), like(tensor, "pool", (tensor.shape[0], *size, tensor.shape[3])),
                  options.Pool2DOptions(padding, *stride[::-1], *kernel[::-1]))

    def join(self, x):
        """A sum, a difference, a product or a CONCATENATION with a value that fits."""
        tensor = self.tensors[x]
        others = [n for n in self.live if self.tensors[n].shape[:3] == tensor.shape[:3] and
                  self.tensors[n].scales == tensor.scales and
                  self.tensors[n].zero_points == tensor.zero_points]
        if self.rng.integers(2):
            other = int(self.rng.choice(others))
            depth = tensor.shape[3] + self.tensors[other].shape[3]
            self._add("CONCATENATION", (x, other), like(tensor, "joined", (
                *tensor.shape[:3], depth)), options.ConcatenationOptions(3))
            return
        other = int(self.rng.choice([n for n in self.live
                                     if self.tensors[n].shape == tensor.shape]))
        self._binary(str(self.rng.choice(list(_SUMS))), x, other)

    def gate(self, x):
        """The product with a pixel made of the MEAN of the image."""
        shape = self.tensors[x].shape
        mean  = self._add("MEAN", (x, self._put(ints("axes", [1, 2]))), self._drawn(
            (shape[0], 1, 1, shape[3])), options.ReducerOptions(True))
        made  = self._sum("CONV_2D", mean, (shape[3], 1, 1, shape[3]), 0, (
            shape[0], 1, 1, shape[3]), options.Conv2DOptions(PADDING.SAME, 1, 1))
        self._binary("MUL", x, made)

    def curve(self, x):
        """A function of each element, or other parameters."""
        name  = str(self.rng.choice(["RELU", "RELU6", "LEAKY_RELU", "QUANTIZE", "LOGISTIC",
                                     "SOFTMAX"]))
        shape = self.tensors[x].shape
        y     = self._drawn(shape) if name not in ("LOGISTIC", "SOFTMAX") else value(
            "share", shape, self.kind, *((2.0**-8, -128) if self.kind == INT8 else (2.0**-15, 0)))
        self._add(name, (x,), y, {
            "LEAKY_RELU": options.LeakyReluOptions(float(np.float32(self.rng.uniform(-1, 1)))),
            "SOFTMAX": options.SoftmaxOptions(1.0)}.get(name))

    def move(self, x):
        """An operator that moves elements, with all its values."""
        tensor = self.tensors[x]
        names  = _MOVES + _BYTES * (self.kind == INT8)
        name   = str(self.rng.choice(names))
        if name in _BYTES[:3] and min(tensor.shape[1:3]) < 2:
            return
        model  = (MOVES | PICKS)[name](self.rng, tensor)
        if max(prod(each.shape) for each in model.tensors) > _MOST:
            return
        numbers = [x if each is tensor else self._put(each) for each in model.tensors]
        self.inputs += [numbers[n] for n in model.inputs if numbers[n] != x]
        self.live   += [numbers[n] for n in model.outputs if len(model.tensors[n].shape) == 4]
        [operator]   = model.operators
        self.operators.append(Operator(name, *(tuple(numbers[n] for n in group) for group in (
            operator.inputs, operator.outputs)), operator.options))

    def _window(self, x):
        """Kernel, stride and dilation, of which one is 1, and padding, with an output at least."""
        rng, size = self.rng, self.tensors[x].shape[1:3]
        padding   = PADDING(int(rng.integers(2)))
        stride, dilation = (tuple(rng.integers(1, 4, 2).tolist()) if rng.integers(3) == part
                            else (1, 1) for part in range(2))
        if max(stride) > 1:
            dilation = (1, 1)
        kernel = tuple(int(rng.integers(1, min(5, (n - 1) // apart + 1) + 1))
                       for n, apart in zip(size, dilation, strict=True))
        return kernel, stride, dilation, padding

    def _fused(self):
        return _FUSED[self.rng.integers(len(_FUSED))]

    def _binary(self, name, x, other):
        ends  = [self.tensors[n].scales[0] for n in (x, other)]
        scale = 16 * prod(ends) if name == "MUL" else 2 * max(ends)
        self._add(name, (x, other), self._drawn(self.tensors[x].shape, float(np.float32(scale))),
                  _SUMS[name](self._fused()))

    def _sum(self, name, x, shape, dimension, out, kind):
        """Add a convolution with weights of ``shape``; its output, and number or None."""
        rng, source = self.rng, self.tensors[x]
        reach  = sqrt(prod(shape) / shape[dimension])
        scales = tuple(float(np.float32(2.0 ** rng.uniform(-9, -5) / reach))
                       for _ in range(shape[dimension]))
        bias   = rng.integers(-1 << 10, 1 << 10, len(scales)).astype(
            np.int32 if self.kind == INT8 else np.int64)
        return self._add(name, (x, self._put(constant("weights", rng.integers(
            -127, 128, shape, dtype=np.int8), scales, dimension)), self._put(constant(
                "bias", bias, tuple(float(np.float32(source.scales[0] * each))
                                    for each in scales)))), self._drawn(out), kind)

    def _add(self, name, inputs, output, kind=None):
        """Append an operator unless its output is large; the number of its output."""
        if prod(output.shape) > _MOST:
            return inputs[0]
        number = self._put(output)
        self.operators.append(Operator(name, tuple(inputs), (number,), kind))
        self.live.append(number)
        return number

    def _drawn(self, shape, scale=None):
        return activation(self.rng, "value", tuple(shape), self.kind,
                          scale or float(np.float32(2.0 ** self.rng.uniform(-6, -3))))

    def _put(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

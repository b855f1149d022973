# SPDX-License-Identifier: Apache-2.0
"""The benchmarks whose cycles are measured: kernel calls and a network, with random operands."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from xymac.golden import mli2, tflm
from xymac.golden.kinds import WorkUnit
from xymac.golden.mli1 import (
    Act,
    AvePool,
    Conv2d,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    LstmCell,
    MaxPool,
    Permute,
    Rectify,
    Relu,
    RnnMode,
    Sigmoid,
    Softmax,
    Tanh,
    Tensor,
)
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.plan.graph import blank_values, chain

from .operators import (
    padded_channels,
    padded_conv,
    sequence_lstm,
    several_outputs,
    softmax_rows,
    sum_of_images,
    with_vector,
)
from .quantised import affine_add, affine_conv, byte_table, deep_conv, fixed_elements

__all__ = ["BENCHMARKS", "Benchmark", "large_network"]

_DTYPES = {"fx8": (np.int8, np.int8), "fx16": (np.int16, np.int16), "fx8w16d": (np.int16, np.int8)}
_FRAC_BITS = {np.int8: 7, np.int16: 15}


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: a kernel call, or a chain of calls, with its cycle target.

    Parameters
    ----------
    name : str, as in the result file
    draw : function from a numpy Generator to a golden layer or a tuple of layers, followed by the
        inputs
    target : float, highest ratio of cycles to ideal cycles
    in_turn : bool, whether the ideal is one cycle per input element, because elements enter one at
        a time
    """

    name:    str
    draw:    Callable
    target:  float
    in_turn: bool = False

    def operands(self):
        """Tuple of layers, and their inputs; equal for every call.

        Sums fill most of the output range.
        """
        built, *inputs = self.draw(np.random.default_rng(len(self.name)))
        return built if isinstance(built, tuple) else (built,), *inputs

    def ideal(self, config):
        """Ideal cycles on the core ``config``; for a chain only in its layers with products."""
        layers, *inputs = self.operands()
        if self.in_turn:
            return inputs[0].data.size
        values = list(blank_values(chain(layers, len(inputs)), inputs))
        shapes = [[x.shape for x in inputs], *([x.shape] for x in values[len(inputs):])]
        return sum(ideal_cycles(layer, config, *shape)
                   for layer, shape in zip(layers, shapes, strict=False)
                   if len(layers) == 1 or layer.work_unit is WorkUnit.PRODUCTS)


def _fixed(name, build, kind, x_shapes, target):
    """Benchmark on fixed-point Tensors.

    ``build`` is a function (constant tensor by shape, fractional bits of the input) that makes
    the layers; ``kind`` is fx8, fx16 or fx8w16d.
    """
    x_type, w_type = _DTYPES[kind]

    def draw(rng):
        def tensor(dtype, shape):
            limits = np.iinfo(dtype)
            data = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
            return Tensor(data, _FRAC_BITS[dtype])

        inputs = [tensor(x_type, shape) for shape in x_shapes]
        return build(partial(tensor, w_type), _FRAC_BITS[x_type]), *inputs

    return Benchmark(name, draw, target)


def _linear(kind, shape, tensor, frac_bits, **options):
    """Layer with ``shape`` weights whose sums fill an output in the input format."""
    sum_bits = int(np.prod(shape[1:])).bit_length() // 2
    weights, bias = (replace(constants, frac_bits=constants.frac_bits + sum_bits)
                     for constants in (tensor(shape), tensor(shape[:1])))
    return kind(weights, bias, frac_bits, **options)


def _conv(kind, shape, pad=0, **options):
    return partial(_linear, kind, shape, pad=(pad,) * 4, **options)


def _plain(layer):
    """Build a layer without constants."""
    return lambda tensor, frac_bits: layer


def _product(tensor, frac_bits):
    return Eltwise(EltwiseOp.MUL, frac_bits)


def _lstm(tensor, frac_bits):
    """LSTM cell with 32 inputs and outputs over a sequence; its state has 3 integer bits.

    The gate sums fill most of their tables' range.
    """
    h, cell = (Tensor(np.zeros(32, np.int16), bits) for bits in (frac_bits, frac_bits - 3))
    return LstmCell(tensor((4, 32, 64)), tensor((4, 32)), h, cell, frac_bits,
                    RnnMode.BATCH_TO_BATCH, Act.TANH)


def _cifar10_large(tensor, frac_bits):
    """The vendor's larger CIFAR-10 network: 12,354,176 products, including padding.

    Source: embARC MLI 1.1, examples/example_cifar10_caffe, ``MODEL_BIG``.
    """
    layers = [Permute((2, 0, 1))]
    for pool, shape in ((MaxPool, (32, 3, 5, 5)), (AvePool, (32, 32, 5, 5)),
                        (AvePool, (64, 32, 5, 5))):
        layers += [_conv(Conv2d, shape, 2, relu=Relu.GEN)(tensor, frac_bits),
                   pool((3, 3), (2, 2), (0, 1, 0, 1))]
    dense = [_linear(FullyConnected, shape, tensor, frac_bits) for shape in ((64, 1024), (10, 64))]
    return (*layers, *dense, Softmax())


def large_network(kind):
    """Benchmark for the larger CIFAR-10 network; ``kind`` is fx8, fx16 or fx8w16d."""
    return _fixed(f"cifar10_large_{kind}", _cifar10_large, kind, ((32, 32, 3),), 1.42)


_DENSE    = partial(_linear, FullyConnected, (128, 640))
_ELEMENTS = (16, 32, 32)
_SAMPLES  = (16, 16, 16)
BENCHMARKS = (
    *(_fixed(f"conv3x3_{kind}", _conv(Conv2d, (16, 16, 3, 3), 1), kind, ((16, 32, 32),), 1.06)
      for kind in _DTYPES),
    _fixed("conv1x1_fx8", _conv(Conv2d, (128, 128, 1, 1)), "fx8", ((128, 6, 6),), 1.06),
    _fixed("conv5x5_c3_fx8", _conv(Conv2d, (32, 3, 5, 5), 2), "fx8", ((3, 32, 32),), 1.36),
    _fixed("fc_fx8", _DENSE, "fx8", ((640,),), 1.10),
    _fixed("fc_fx16", _DENSE, "fx16", ((640,),), 1.10),
    _fixed("depthwise3x3_fx8", _conv(DepthwiseConv2d, (64, 1, 3, 3), 1), "fx8", ((64, 12, 12),),
           0.56),
    *(_fixed(f"fc_to{outputs}_fx8", partial(_linear, FullyConnected, (outputs, inputs)), "fx8",
             ((inputs,),), target)
      # X gives a lane an element a cycle: a single output cannot have more products.
      for outputs, inputs, target in ((1, 60000, 4.30), (4, 16000, 1.25), (12, 8000, 1.25))),
    *(_fixed(f"conv{kernel}x{kernel}_c{channels}_to{outputs}_fx8", _conv(
        Conv2d, (outputs, channels, kernel, kernel), kernel // 2), "fx8",
             ((channels, size, size),), target) for kernel, channels, outputs, size, target in (
                 (3, 4, 4, 24, 1.25), (3, 8, 8, 24, 1.15), (3, 8, 12, 24, 1.15),
                 (1, 16, 8, 24, 1.15), (3, 4, 16, 24, 1.10), (3, 8, 4, 24, 1.25),
                 (5, 1, 16, 32, 1.50))),
    _fixed("depthwise3x3_c1_fx8", _conv(DepthwiseConv2d, (1, 1, 3, 3), 1), "fx8", ((1, 64, 64),),
           1.20),
    *(_fixed(f"{name}2x2_c{channels}_fx8", _plain(kind((2, 2), (2, 2))), "fx8",
             ((channels, size, size),), 2.00)
      for channels, size in ((1, 64), (4, 48))
      for name, kind in (("maxpool", MaxPool), ("avepool", AvePool))),
    _fixed("maxpool2x2_fx8", _plain(MaxPool((2, 2), (2, 2))), "fx8", ((32, 32, 32),), 1.30),
    _fixed("avepool3x3_fx8", _plain(AvePool((3, 3), (2, 2))), "fx8", ((32, 32, 32),), 1.30),
    _fixed("relu_fx8", _plain(Rectify(Relu.GEN)), "fx8", (_ELEMENTS,), 1.15),
    _fixed("add_fx8", _plain(Eltwise(EltwiseOp.ADD)), "fx8", (_ELEMENTS,) * 2, 1.15),
    _fixed("mul_fx8", _product, "fx8", (_ELEMENTS,) * 2, 1.15),
    _fixed("sigm_fx16", _plain(Sigmoid()), "fx16", (_SAMPLES,), 1.25),
    _fixed("tanh_fx16", _plain(Tanh()), "fx16", (_SAMPLES,), 1.25),
    _fixed("softmax_fx16", _plain(Softmax()), "fx16", ((1000,),), 3.0),
    *(_fixed(f"permute_{kind}", _plain(Permute((2, 0, 1))), kind, ((32, 32, 16),), 1.25)
      for kind in ("fx8", "fx16")),
    *(_fixed(f"lstm_{kind}", _lstm, kind, ((128, 32),), 1.83) for kind in ("fx16", "fx8w16d")),
    Benchmark("conv3x3_sa8", partial(affine_conv, mli2.Conv2d, (3, 3, 16, 16), (32, 32, 16)), 1.08),
    Benchmark("depthwise3x3_sa8", partial(affine_conv, mli2.DepthwiseConv2d, (3, 3, 1, 64),
                                     (12, 12, 64)), 0.56),
    Benchmark("group_conv3x3_sa8", partial(affine_conv, mli2.GroupConv2d, (3, 3, 8, 64),
                                           (16, 16, 64)), 1.30),
    Benchmark("add_sa8", partial(affine_add, _ELEMENTS), 1.20),
    Benchmark("lookup8", partial(byte_table, 8192), 1.25),
    Benchmark("conv3x3_xs3", partial(deep_conv, (32, 3, 3, 32), (16, 16, 32)), 1.08),
    Benchmark("argmax_top1", partial(fixed_elements, mli2.ArgMax(1), 1000), 1.50, in_turn=True),
    Benchmark("argmax_top5", partial(fixed_elements, mli2.ArgMax(5), 1000), 4.00, in_turn=True),
    Benchmark("l2_normalize_fx16", partial(fixed_elements, mli2.L2Normalize(), 500), 8.00),
    Benchmark("softmax_144x2_int8", partial(softmax_rows, 144, 2), 4.00),
    Benchmark("softmax_10_int8", partial(softmax_rows, 1, 10), 100.00),  # 250 cycles
    # Most scales need corrections of some limits.
    Benchmark("softmax_10_corrected_int8", partial(softmax_rows, 1, 10, scale=0.08), 111.00),
    *(Benchmark(f"{name}_c3_int8", partial(with_vector, kind, (1, 64, 64, 3)), 1.50)
      for name, kind in (("mul", tflm.Mul), ("add", tflm.Add))),
    Benchmark("add_int8", partial(sum_of_images, (1, 32, 32, 16)), 1.05),
    Benchmark("pad_conv3x3_int8", partial(padded_conv, (1, 32, 32, 16), 16), 1.00),
    Benchmark("pad_channels_int8", partial(padded_channels, (1, 32, 32, 24), 4), 1.05),
    # Each channel output takes the drain of a slide: nine products in four cycles.
    Benchmark("depthwise3x3_x2_int8", partial(several_outputs, (1, 12, 12, 32), 2), 2.20),
    Benchmark("lstm_28x28_to20_int8", partial(sequence_lstm, 28, 28, 20), 7.25),
    # 228,930 cycles
    large_network("fx8"),
)

# SPDX-License-Identifier: Apache-2.0
"""A legal call of every kind of layer, in every format that changes the output."""

import numpy as np

from tests.support.seed import random_of
from xymac.golden import mli1, mli2, tflm, xs3
from xymac.golden.kinds import Act, EltwiseOp, Relu
from xymac.golden.mli1 import Layout, RnnMode, Tensor
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor, RnnOutput
from xymac.golden.tflm import Activation, Padding, PlainCurve, PlainOperation, Quantisation
from xymac.golden.xs3 import Integers, Window

__all__ = ["CALLS"]

_ZERO  = Affine(0, 1, 0)
_SCALE = Affine(3, 20000, 14)


def _random(shape, dtype):
    limits = np.iinfo(dtype)
    rng    = random_of(3)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _tensor(*shape, bits=8, frac_bits=5):
    return Tensor(_random(shape, f"int{bits}"), frac_bits)


def _sa8(*shape, kind=_SCALE):
    return QuantTensor(_random(shape, np.int8), Element.SA_8, kind)


def _sa32(*shape):
    return QuantTensor(_random(shape, np.int32), Element.SA_32, _ZERO)


def _weights(*shape):
    return _sa8(*shape, kind=Affine(0, 100, 10))


def _fx16(*shape, frac_bits=11):
    return QuantTensor(_random(shape, np.int16), Element.FX_16, Fixed(frac_bits))


def _tflm(*shape, bits=8, scales=(0.25,), zero=None, axis=-1):
    zero = (3 if bits == 8 else 0) if zero is None else zero
    kind = Quantisation(scales, (zero,) * len(scales), axis)
    return tflm.Tensor(_random(shape, f"int{bits}"), kind)


def _numbers(*values):
    return tflm.Tensor(np.array(values, np.int32))


def _truth(*shape):
    return tflm.Tensor(_random(shape, np.int8) > 0)


def _filters(*shape, axis=0):
    scales = tuple(2.0 ** -(place + 9) for place in range(shape[axis]))
    return _tflm(*shape, scales=scales, zero=0, axis=axis)


def _gates(*shape):
    return _tflm(*shape, scales=(2.0 ** -9,), zero=0)


def _integers(*shape, dtype=np.int8):
    return Integers(_random(shape, dtype))


def _ones(*shape):
    return Integers(np.ones(shape, np.int16))


def _bso(channels):
    return _ones(-(-channels // 16), 7, 16)


_MLI1 = [
    (mli1.Conv2d(_tensor(4, 3, 2, 2), _tensor(4), 3, pad=(1, 0, 0, 1)), _tensor(3, 5, 6)),
    (mli1.Conv2d(_tensor(4, 2, 2, 3), _tensor(4), 3, layout=Layout.HWC),
     _tensor(5, 6, 3, bits=16)),
    (mli1.DepthwiseConv2d(_tensor(3, 1, 2, 2), _tensor(3), 3), _tensor(3, 5, 6)),
    (mli1.FullyConnected(_tensor(4, 6), _tensor(4), 3), _tensor(2, 3)),
    (mli1.MaxPool((2, 3), (1, 2), (1, 0, 0, 2)), _tensor(3, 5, 6)),
    (mli1.AvePool((2, 3), (1, 2), layout=Layout.HWC), _tensor(5, 6, 3, bits=16)),
    (mli1.Rectify(Relu.RELU6), _tensor(3, 4)),
    (mli1.LeakyRelu(_tensor(1, frac_bits=7)), _tensor(3, 4)),
    (mli1.Sigmoid(), _tensor(3, 4)),
    (mli1.Tanh(), _tensor(3, 4, bits=16)),
    (mli1.Softmax(), _tensor(3, 4)),
    (mli1.Eltwise(EltwiseOp.ADD), _tensor(3, 4), _tensor(1)),
    (mli1.Eltwise(EltwiseOp.MUL, 2), _tensor(1), _tensor(3, 4, frac_bits=1)),
    (mli1.Concat(1), _tensor(2, 3), _tensor(2, 4), _tensor(2, 1)),
    (mli1.Permute((2, 0, 1)), _tensor(2, 3, 4)),
    (mli1.Padding2d((1, 2, 3, 4)), _tensor(2, 3, 4)),
    (mli1.Subtensor((1, 1), 2), _tensor(2, 3, 4)),
    (mli1.ConvertTensor(16, 2), _tensor(2, 3)),
    (mli1.BasicRnnCell(_tensor(4, 7), _tensor(4), _tensor(4), 3), _tensor(3, bits=8)),
    (mli1.BasicRnnCell(_tensor(2, 4, 7), _tensor(2, 4), _tensor(4), 7, act=Act.TANH), _tensor(3)),
    (mli1.LstmCell(_tensor(4, 5, 7), _tensor(4, 5), _tensor(5, bits=16), _tensor(5, bits=16), 5,
                   RnnMode.BATCH_TO_BATCH), _tensor(3, 2, bits=16)),
]
_MLI2 = [
    (mli2.Conv2d(_weights(2, 2, 3, 4), _sa32(4), _SCALE, pad=(1, 0, 0, 1)), _sa8(5, 6, 3)),
    (mli2.Conv2d(_fx16(2, 2, 3, 4), _fx16(4), Fixed(4)), _fx16(5, 6, 3)),
    (mli2.GroupConv2d(_weights(2, 2, 2, 6), _sa32(6), _SCALE), _sa8(5, 6, 4)),
    (mli2.DepthwiseConv2d(_weights(2, 2, 1, 3), _sa32(3), _SCALE), _sa8(5, 6, 3)),
    (mli2.TransposeConv2d(_weights(2, 3, 3, 4), _sa32(4), _SCALE, stride=(2, 1)), _sa8(5, 6, 3)),
    (mli2.FullyConnected(_weights(6, 4), _sa32(4), _SCALE), _sa8(2, 3)),
    (mli2.RnnDense((_weights(6, 4), _weights(3, 4)), _sa32(4), _SCALE), _sa8(2, 3), _sa8(3)),
    (mli2.RnnDense((_weights(6, 4),), _sa32(4), _SCALE), _sa8(2, 3)),
    (mli2.LstmCell(_weights(4, 3, 5), _weights(4, 5, 5), _sa32(4, 5), _sa8(5), _SCALE,
                   cell=_sa8(5)), _sa8(6, 3)),
    (mli2.GruCell(_weights(3, 3, 5), _weights(3, 5, 5), _sa32(3, 5), _sa8(5), _SCALE,
                  output=RnnOutput.ALL), _sa8(6, 3)),
    (mli2.MaxPool((2, 3), (1, 2), (1, 0, 0, 2)), _sa8(5, 6, 3)),
    (mli2.AvePool((2, 3), (1, 2)), _fx16(5, 6, 3)),
    (mli2.AvePool((2, 3), (1, 2), out=_ZERO), _sa8(5, 6, 3)),
    (mli2.Rectify(Relu.RELU6), _sa8(3, 4)),
    (mli2.LeakyRelu(_fx16(1)), _fx16(3, 4)),
    (mli2.LeakyRelu(_sa8(1), _ZERO), _sa8(3, 4)),
    (mli2.Prelu(_sa8(1, 4), _ZERO, axis=1), _sa8(3, 4)),
    (mli2.Sigmoid(), _sa8(3, 4)),
    (mli2.Tanh(), _fx16(3, 4)),
    (mli2.Softmax(axis=1), _sa8(3, 4)),
    (mli2.L2Normalize(), _fx16(3, 4)),
    (mli2.Eltwise(EltwiseOp.SUB, _ZERO), _sa8(3, 4), _sa8(1)),
    (mli2.Permute((2, 0, 1)), _sa8(3, 4, 2, kind=Affine((1, 2), (3, 4), (5, 6), 2))),
    (mli2.Concat(0), _sa8(3, 4), _sa8(2, 4)),
    (mli2.ArgMax(2, 1), _sa8(3, 4)),
    (mli2.ConvertTensor(Element.SA_32, _ZERO), _fx16(3, 4)),
    (mli2.ConvertTensor(Element.FP_32, None, Build.UP_FULL), _sa8(3, 4)),
]
_XS3 = [
    (xs3.FullyConnected(_integers(5, 6), _bso(5)), _integers(6)),
    (xs3.FullyConnected(_integers(5, 6), _bso(5), 16), _integers(6)),
    (xs3.FcDeepin(_integers(5, 32), _integers(5, dtype=np.int32), _ones(16), _ones(16)),
     _integers(32)),
    (xs3.Conv2dDeep(_integers(8, 3, 2, 4), _bso(8), Window((4, 3), (-2, 1), (2, 3))),
     _integers(7, 9, 4)),
    (xs3.Conv2dShallowin(_integers(8, 3, 1, 32), _bso(8), Window((4, 3), (-1, 0)), columns=1),
     _integers(7, 9, 32)),
    (xs3.Conv2d1x1(_integers(8, 4), _bso(8)), _integers(7, 9, 4)),
    (xs3.Conv2dDepthwise(_integers(3, 2, 4), _bso(4), Window((4, 3))), _integers(7, 9, 4)),
    (xs3.MaxPool2d((3, 2), Window((2, 4), (1, 0), (2, 1))), _integers(7, 9, 4)),
    (xs3.AvgPool2d((3, 2), Window((2, 4), (1, 0), (2, 1))), _integers(7, 9, 4)),
    (xs3.AvgPool2dGlobal(1, 2, 3), _integers(7, 9, 4)),
    (xs3.Requantize16To8(), _integers(3, 4, dtype=np.int16)),
    (xs3.Lookup8(_integers(256, dtype=np.uint8)), _integers(3, 4)),
    (xs3.Argmax16(), _integers(5, dtype=np.int16)),
    (xs3.AddElementwise((1, 2), (3, 4), 5, 6), _integers(3, 4), _integers(3, 4)),
    (xs3.MulElementwise((1, -2), 3000, 4, -5), _integers(3, 4), _integers(3, 4)),
    (xs3.OutputTransform(_integers(2 * 20, dtype=np.int16), 20, 1, 2),
     _integers(3, 32, dtype=np.int32)),
    (xs3.AddInt16((9000, -20000)), *[_integers(3, 4, dtype=np.int16)] * 2),
    (xs3.MultiplyInt16(-20000, 17), *[_integers(3, 4, dtype=np.int16)] * 2),
    (xs3.RequantizeInt16(-9000), _integers(3, 4, dtype=np.int16)),
]
_OUT   = Quantisation((0.5,), (-3,))
_OUT16 = Quantisation((0.5,), (0,))


def _reals(*shape):
    return tflm.Tensor(random_of(1).normal(size=shape).astype(np.float32))


_TFLM  = [
    (tflm.Conv2d(_filters(4, 2, 3, 2), _tflm(4, bits=32), _OUT, (2, 1), Padding.SAME),
     _tflm(2, 5, 6, 2)),
    (tflm.Conv2d(_filters(4, 2, 3, 2), _tflm(4, bits=64), _OUT16, dilation=(1, 2)),
     _tflm(1, 5, 6, 4, bits=16)),
    (tflm.Conv2d(_filters(4, 2, 3, 2), _tflm(4, bits=32), _OUT16), _tflm(1, 5, 6, 2, bits=16)),
    (tflm.DepthwiseConv2d(_filters(1, 2, 3, 4, axis=3), _tflm(4, bits=32), _OUT,
                          activation=Activation.RELU6), _tflm(1, 5, 6, 2)),
    (tflm.TransposeConv(_filters(4, 2, 3, 2), None, _OUT, (2, 2), sizes=(10, 13)),
     _tflm(1, 5, 6, 2)),
    (tflm.FullyConnected(_filters(4, 6), None, _OUT, keep_num_dims=True), _tflm(2, 3, 6)),
    (tflm.AveragePool2d((2, 3), Quantisation((0.25,), (3,)), (1, 2), Padding.SAME),
     _tflm(1, 5, 6, 3)),
    (tflm.MaxPool2d((2, 3), Quantisation((0.25,), (3,)), (1, 2)), _tflm(1, 5, 6, 3)),
    (tflm.Mean((1, -1), _OUT), _tflm(2, 3, 4)),
    (tflm.Add(_OUT), _tflm(2, 3, 4), _tflm(3, 1)),
    (tflm.Sub(_OUT16, Activation.RELU), _tflm(3, 1, bits=16), _tflm(2, 3, 4, bits=16)),
    (tflm.Mul(_OUT), _tflm(2, 3, 4), _tflm(2, 3, 4)),
    (tflm.Maximum(_OUT), _tflm(2, 3, 4), _tflm(4)),
    (tflm.Minimum(_OUT16), _tflm(2, 3, 4, bits=16), _tflm(4, bits=16)),
    (tflm.Softmax(Quantisation((2.0 ** -8,), (-128,))), _tflm(2, 3)),
    (tflm.Softmax(Quantisation((2.0 ** -16,), (-32768,)), 2.0, np.dtype(np.int16)), _tflm(2, 3)),
    (tflm.Softmax(Quantisation((2.0 ** -15,), (0,))), _tflm(2, 3, bits=16)),
    (tflm.Logistic(Quantisation((2.0 ** -8,), (-128,))), _tflm(2, 3)),
    (tflm.Tanh(Quantisation((2.0 ** -15,), (0,))), _tflm(2, 3, bits=16)),
    (tflm.Relu(_OUT), _tflm(2, 3)),
    (tflm.Relu6(_OUT16), _tflm(2, 3, bits=16)),
    (tflm.LeakyRelu(_OUT, 0.1), _tflm(2, 3)),
    (tflm.Prelu(_OUT16, _tflm(3)), _tflm(2, 3, bits=16)),
    (tflm.HardSwish(_OUT), _tflm(2, 3)),
    (tflm.Quantize(_OUT, np.dtype(np.int32)), _tflm(2, 3)),
    (tflm.Dequantize(), _tflm(2, 3, bits=16)),
    (tflm.Reshape((3, -1)), _tflm(2, 3)),
    (tflm.Transpose((2, 0, 1), _OUT), _tflm(2, 3, 4)),
    (tflm.Split(-1, 2, 1), _tflm(3, 4)),
    (tflm.Slice((1, 0), (-1, 2)), _tflm(3, 4, bits=16)),
    (tflm.StridedSlice((-1, 1, 0), (None, 4, 1), (-2, 2, 1), (2,)), _tflm(3, 4, 2)),
    (tflm.Concatenation(-1), _tflm(2, 3), _tflm(2, 4), _tflm(2, 1)),
    (tflm.Pad(((1, 0), (0, 2)), _OUT), _tflm(2, 3)),
    (tflm.PadV2(((1, 0), (0, 2)), _OUT16, -9), _tflm(2, 3, bits=16)),
    (tflm.ResizeNearestNeighbor((3, 5)), _tflm(2, 2, 3, 4)),
    (tflm.ResizeBilinear((3, 5), False, True, _OUT), _tflm(2, 2, 3, 4)),
    (tflm.Abs(_OUT16), _tflm(2, 3, bits=16)),
    (tflm.Elu(_OUT), _tflm(2, 3)),
    (tflm.Rsqrt(_OUT), _tflm(2, 3, zero=-128)),
    (tflm.LogSoftmax(Quantisation((2.0 ** -4,), (127,))), _tflm(2, 3)),
    (tflm.L2Normalization(_OUT), _tflm(2, 3)),
    *((kind(), _tflm(2, 3), _tflm(3)) for kind in (
        tflm.Equal, tflm.NotEqual, tflm.Greater, tflm.GreaterEqual, tflm.Less, tflm.LessEqual)),
    (tflm.LogicalAnd(), _truth(2, 3), _truth(3)),
    (tflm.LogicalOr(), _truth(1, 3), _truth(2, 3)),
    (tflm.LogicalNot(), _truth(2, 3)),
    (tflm.ExpandDims(1), _tflm(2, 3)),
    (tflm.Squeeze(), _tflm(2, 1, 3)),
    (tflm.Pack(-1), _tflm(2, 3), _tflm(2, 3)),
    (tflm.Unpack(0, 1), _tflm(2, 3)),
    (tflm.SplitV(1, (1, 3), 1), _tflm(2, 4)),
    (tflm.Gather(_numbers(2, 0), -1), _tflm(2, 3)),
    (tflm.GatherNd(_numbers([1, 0], [0, 2])), _tflm(2, 3)),
    (tflm.EmbeddingLookup(_numbers(1, 1)), _tflm(2, 3)),
    (tflm.SpaceToBatchNd((2,), ((1, 1),)), _tflm(1, 4, 3)),
    (tflm.BatchToSpaceNd((2,), ((0, 1),)), _tflm(2, 3, 3)),
    (tflm.DepthToSpace(2), _tflm(1, 2, 3, 8)),
    (tflm.SpaceToDepth(2), _tflm(1, 2, 4, 3)),
    (tflm.MirrorPad(((1, 0), (0, 2))), _tflm(2, 3)),
    (tflm.BroadcastTo((2, 2, 3)), _tflm(2, 1, 3)),
    (tflm.Fill((2, 3)), _tflm()),
    (tflm.ReverseV2((-1,)), _tflm(2, 3)),
    (tflm.ZerosLike(), _tflm(2, 3)),
    (tflm.PickAmong(np.array([1, 0]), np.array([2, 5])), _tflm(2, 3), _tflm(2, 3)),
    (tflm.DynamicUpdateSlice((1, 1)), _tflm(3, 4), _tflm(2, 2)),
    (tflm.SelectV2(), _truth(2, 1), _tflm(2, 3), _tflm(2, 3)),
    (tflm.Cast(np.dtype(np.int16)), _tflm(2, 3)),
    (tflm.BroadcastArgs(), _numbers(3, 1), _numbers(2, 1, 4)),
    (tflm.ReduceAll((1,)), _truth(2, 3)),
    (tflm.SquaredDifference(_OUT16), _tflm(2, 3, bits=16), _tflm(2, 3, bits=16)),
    (tflm.Div(_OUT), _tflm(2, 3), _tflm(3, zero=-128)),
    (tflm.AddN(_OUT), _tflm(2, 3), _tflm(2, 3), _tflm(2, 3)),
    (tflm.CumSum(-1, _OUT, exclusive=True), _tflm(2, 3)),
    (tflm.Sum((1, -1), _OUT16), _tflm(2, 3, 4, bits=16)),
    (tflm.ReduceMax((0,), Quantisation((0.25,), (3,))), _tflm(2, 3)),
    (tflm.ReduceMin((0, -1), Quantisation((0.25,), (3,)), True), _tflm(2, 3, 4)),
    (tflm.ArgMax(-1), _tflm(2, 3)),
    (tflm.ArgMin(0), _tflm(2, 3)),
    (tflm.BatchMatmul(_OUT, adj_y=True), _tflm(2, 3, 4), _tflm(5, 4)),
    (tflm.UnidirectionalSequenceLstm(
        (_gates(5, 3),) * 4, (_gates(5, 5),) * 4, (_tflm(5, bits=32),) * 4, _tflm(2, 5),
        _tflm(2, 5, bits=16, scales=(2.0 ** -12,))), _tflm(2, 6, 3)),
    (tflm.PlainBinary(PlainOperation.MUL, Activation.RELU6), _reals(2, 3), _reals(3)),
    (tflm.PlainUnary(PlainCurve.LEAKY_RELU, 0.5), _reals(2, 3)),
    (tflm.PlainTable(tuple(range(-128, 128)), _OUT), _tflm(2, 3)),
    (tflm.PlainSoftmax(is_log=True), _reals(2, 3)),
    (tflm.PlainMean((0, -1)), _reals(2, 3, 4)),
    (tflm.PlainDense(_reals(4, 3), None, keep_num_dims=True), _reals(2, 5, 3)),
    (tflm.PlainConv(_reals(4, 2, 3, 2), _reals(4), (2, 1), Padding.SAME), _reals(1, 5, 6, 2)),
    (tflm.PlainDepthwise(_reals(1, 2, 3, 4), None), _reals(1, 5, 6, 2)),
    (tflm.PlainTransposeConv(_reals(4, 2, 3, 2), None, (2, 2), sizes=(10, 13)),
     _reals(1, 5, 6, 2)),
    (tflm.PlainMatmul(adj_y=True), _reals(2, 3, 4), _reals(5, 4)),
    (tflm.PlainPool(tflm.PlainPooling.L2_POOL_2D, (2, 3)), _reals(1, 5, 6, 3)),
    (tflm.PlainResize((3, 5), half_pixel_centers=True), _reals(2, 2, 3, 4)),
    (tflm.PlainCompare(tflm.PlainComparison.LESS), _reals(2, 3), _reals(3)),
    (tflm.PlainAddN(), _reals(2, 3), _reals(2, 3)),
    (tflm.PlainCumSum(-1, reverse=True), _reals(2, 3)),
    (tflm.PlainPlace(-1), _reals(2, 3)),
    (tflm.PlainNormalization(), _reals(2, 3)),
    (tflm.PlainPrelu(_reals(3)), _reals(2, 3)),
    (tflm.PlainReduce((0,), False, tflm.PlainReduction.SUM), _reals(2, 3)),
    (tflm.GatherAt(tflm.Indexing.GATHER, -1), _tflm(2, 3), _numbers(2, 0)),
    (tflm.Svdf(_gates(4, 3), _gates(4, 5), _tflm(2, bits=32), _tflm(2, 20), _OUT, 2), _tflm(2, 3)),
]
#: Layers and their inputs, by wing.
CALLS = {"mli1": _MLI1, "mli2": _MLI2, "tflm": _TFLM, "xs3": _XS3}

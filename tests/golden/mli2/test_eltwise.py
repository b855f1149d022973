# SPDX-License-Identifier: Apache-2.0
"""Element-wise kernels of MLI 2.0 against single Python ints, as the formulas say."""

import numpy as np
import pytest

from tests.support.naive.mli2 import norm, rescaled, rounded, saturated
from tests.support.seed import random_of
from tests.support.tensors import format_of, tensor_of
from xymac.golden import run
from xymac.golden.mli2 import Affine, Build, Element, Eltwise, EltwiseOp, QuantTensor


def guarded(multiplier, shift, top, build):
    excess = max(shift - top, 0) + min(shift + 31, 0)
    return rounded(multiplier, excess, 16, build), shift - excess


def naive_eltwise(op, a, b, x, y, out, build):
    """One element; ``x`` and ``y`` are the tensors."""
    combine = {EltwiseOp.ADD: a + b, EltwiseOp.SUB: a - b, EltwiseOp.MUL: a * b,
               EltwiseOp.MIN: min(a, b), EltwiseOp.MAX: max(a, b)}
    if not x.is_affine:
        bits, (fa, fb) = x.bits, (x.format.frac_bits, y.format.frac_bits)
        if op in (EltwiseOp.MIN, EltwiseOp.MAX):
            return rounded(combine[op], min(fa - out.frac_bits, bits - 1), bits, build)
        if op is EltwiseOp.MUL:
            shift = min(fa + fb - out.frac_bits, 2 * bits - 1)
            return saturated(rounded(a * b, shift, 64, build), bits)
        a, b  = saturated(a * 2 ** max(fb - fa, 0), 32), saturated(b * 2 ** max(fa - fb, 0), 32)
        total = saturated(a + b if op is EltwiseOp.ADD else a - b, 32)
        shift = min(max(fa, fb) - out.frac_bits, 2 * bits - 1)
        return saturated(rounded(total, shift, 64, build), bits)
    return saturated(saturated(naive_affine(op, a, b, x.format, y.format, out, build)
                               + out.zero_point, 16), 8)


def naive_affine(op, a, b, x, y, out, build):
    a, b = a - x.zero_point, b - y.zero_point
    if op is EltwiseOp.MUL:
        scale = x.scale * y.scale
        k, p  = rescaled(scale, out.scale, norm(scale, 32), build)
        k, p  = guarded(k, p + x.scale_frac_bits + y.scale_frac_bits - out.scale_frac_bits, 31,
                        build)
        early = min(max(p - 21, 0), 3)
        short = saturated(rounded(a * b, early, 32, build), 16)
        return saturated(rounded(short * k, p - early, 32, build), 16)
    scaled = []
    for value, kind in ((a, x), (b, y)):
        k, p = rescaled(kind.scale, out.scale, norm(kind.scale, 32), build)
        k, p = guarded(k, p + kind.scale_frac_bits - out.scale_frac_bits, 23, build)
        scaled.append((value * k, p))
    if op in (EltwiseOp.MIN, EltwiseOp.MAX):
        pick = min if op is EltwiseOp.MIN else max
        return saturated(rounded(pick(scaled[0][0], scaled[1][0]), scaled[0][1], 32, build), 16)
    left, right = (rounded(*value, 32, build) for value in scaled)
    return saturated(saturated(left + right if op is EltwiseOp.ADD else left - right, 32), 16)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("op", EltwiseOp)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_eltwise(element, op, seed):
    rng = random_of(seed)
    shapes = [((3, 11), (3, 11)), ((3, 11), (1,)), ((1, 1), (33,))][seed]
    a, b = (tensor_of(rng, element, shape) for shape in shapes)
    if op in (EltwiseOp.MIN, EltwiseOp.MAX):
        b = QuantTensor(b.data, element, a.format)
    for build in Build:
        layer = Eltwise(op, format_of(rng, element), build)

        output = run(layer, a, b).output

        pairs = np.broadcast(a.data.reshape(-1), b.data.reshape(-1))
        assert output.data.reshape(-1).tolist() == [
            naive_eltwise(op, int(x), int(y), a, b, layer.out, build) for x, y in pairs]
        assert output.shape == (shapes[1] if seed == 2 else shapes[0])


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize(("op", "scale", "frac", "wanted"), [
    (EltwiseOp.MIN, 20000, 22, [80, 59, -21]), (EltwiseOp.MAX, 20000, 22, [81, 60, 51]),
    (EltwiseOp.MIN, 30000, 23, [127, 121, 15]), (EltwiseOp.MAX, 10338, 21, [74, 53, 45]),
    (EltwiseOp.MIN, 17000, 22, [117, 92, -2])])
def test_extremes_of_a_sigmoid_are_the_librarys(op, scale, frac, wanted, build):
    """Outputs of the library itself, of operands whose scale is 1."""
    a, b = (QuantTensor(np.array(data, np.int8), Element.SA_8, Affine(-128, 1, 8))
            for data in ([127, 100, 3], [126, 101, 90]))

    assert run(Eltwise(op, Affine(-128, scale, frac), build), a, b).output.data.tolist() == wanted


@pytest.mark.parametrize("op", EltwiseOp)
def test_scales_at_both_ends(op):
    """Every pair of the smallest and the largest scales, at binary points around the guards."""
    rng    = random_of(6)
    scales = (1, 2, 3, 32766, 32767)
    for build in Build:
        for scale, out_scale in ((a, b) for a in scales for b in scales):
            for move in (-128, -40, -16, 0, 8, 16, 24, 40, 127):
                x, y = (Affine(zero, scale, frac) for zero, frac in ((-128, move), (5, 0)))
                y    = x if op in (EltwiseOp.MIN, EltwiseOp.MAX) else y
                a, b = (QuantTensor(rng.integers(-128, 128, 6).astype(np.int8), Element.SA_8, kind)
                        for kind in (x, y))
                layer = Eltwise(op, Affine(-3, out_scale, 7), build)

                assert run(layer, a, b).output.data.tolist() == [
                    naive_eltwise(op, *pair, a, b, layer.out, build)
                    for pair in zip(a.data.tolist(), b.data.tolist(), strict=True)], layer


@pytest.mark.parametrize("op", EltwiseOp)
def test_operands_at_both_ends(op):
    """The largest 16-bit operands on their way through all 32 bits, at every binary point."""
    for build in Build:
        for zero, frac in ((zero, frac) for zero in (-32640, 32640) for frac in range(8, 36)):
            a, b = (QuantTensor(np.array(data, np.int8), Element.SA_8, Affine(zero, 32767, frac))
                    for data in ([-128, 127, -128, 127], [-128, -128, 127, 127]))
            layer = Eltwise(op, Affine(-100 if zero < 0 else 100, 1, 7), build)

            assert run(layer, a, b).output.data.tolist() == [
                naive_eltwise(op, *pair, a, b, layer.out, build)
                for pair in zip(a.data.tolist(), b.data.tolist(), strict=True)], layer

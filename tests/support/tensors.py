# SPDX-License-Identifier: Apache-2.0
"""Random tensors of MLI 2.0 and formats of them."""

import numpy as np
from hypothesis import strategies as st

from tests.support.seed import random_of
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor

__all__ = ["builds", "elements", "format_of", "formats", "quantised", "tensor_of"]

builds   = st.sampled_from(Build)
elements = st.sampled_from([Element.FX_8, Element.FX_16, Element.SA_8])


def tensor_of(rng, element, shape, frac_bits=None):
    """Noise with edges in it; SA_8 has any zero point and a unit of 2**-10 to 2**-3."""
    info = np.iinfo(element.dtype)
    data = rng.integers(info.min, info.max + 1, shape, dtype=info.dtype)
    data.reshape(-1)[:2] = (info.min, info.max)[:data.size]
    return QuantTensor(data, element, format_of(rng, element, frac_bits))


def format_of(rng, element, frac_bits=None):
    """Random format: Fixed with ``frac_bits``, or any, for FX, Affine for SA."""
    if element.format is Fixed:
        return Fixed(int(rng.integers(-2, 18)) if frac_bits is None else frac_bits)
    scale = int(rng.integers(1, 32768))
    return Affine(int(rng.integers(-128, 128)), scale,
                  scale.bit_length() + int(rng.integers(3, 11)))


@st.composite
def formats(draw, element):
    """A legal format of a whole tensor of ``element``, mostly one that a network would have."""
    common = draw(st.booleans())
    if element.format is Fixed:
        return Fixed(draw(st.integers(0, 15) if common else st.integers(-128, 127)))
    if common:
        return Affine(*(draw(st.integers(low, high)) for low, high in (
            (-128, 127), (1 << 14, 32767), (10, 18))))
    return Affine(draw(st.integers(-32640, 32640)), draw(st.integers(1, 32767)),
                       draw(st.integers(-20, 40)))


@st.composite
def quantised(draw, shape, element, kind):
    """A random QuantTensor of ``shape`` that reaches both ends of the container; often edges only.
    """
    rng    = random_of(draw(st.integers(0, 999)))
    limits = np.iinfo(element.dtype)
    data   = rng.integers(limits.min, limits.max, shape, element.dtype, endpoint=True)
    if draw(st.booleans()):
        edges = np.array([limits.min, limits.min + 1, -1, 0, 1, limits.max], element.dtype)
        data  = rng.choice(edges, shape)
    return QuantTensor(data, element, kind)

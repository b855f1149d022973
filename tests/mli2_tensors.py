"""Random tensors of MLI 2.0 and formats of them."""

import numpy as np

from golden.mli2 import Affine, Fixed, QuantTensor

__all__ = ["format_of", "tensor_of"]


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

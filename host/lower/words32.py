"""Passes that add up the halves of elements of 32 bits."""

from host.lower.elementwise.form import split

__all__ = ["HALVES_WORDS", "sums_of_halves"]

_PARTS = split([1 << 16, 1])[..., 0]
#: Factors of the upper and then of the lower half; what their sum lacks is ``HALF``.
HALVES_WORDS = tuple(_PARTS.ravel().tolist())


def sums_of_halves(image, values):
    """Operands of passes (see ``over_channels``) that add up a layout of 32 bits, less ``HALF``.

    The first words of the Constants ``values`` are ``HALVES_WORDS``, of 16 bits.
    """
    count, parts = _PARTS.shape
    words = values.word(0, 16, image.ways, count=len(HALVES_WORDS), taps=(0, parts, 1))
    return {"x": image, "y": words, "taps": (1, count, parts), "x_taps": (0, image.apart, 0)}

"""Why kernels of TensorFlow Lite refuse what they refuse: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, EMPTY, FIELD, FORMATS, TYPES, limit

__all__ = ["REASONS"]

REASONS = {
    # What a caller of the library could try.
    "A tensor has at most … dimensions, not …": limit("a shape of the library has no more"),
    # What means nothing.
    "Data must be a numpy array of …, not …": TYPES,
    "A tensor must not be empty, but has shape …": EMPTY,
    "quantisation must be a Quantisation or None, not …": ARGUMENT,
    "Data of FLOAT32 have no scale, but there is …": FORMATS,
    "axis must be less than the … dimensions, not …": FORMATS,
    "Dimension … has … elements, but there are … scales": FORMATS,
    "Zero points of … must be between … and …, not …": FIELD,
    "Zero points are of integers, not of FLOAT32": TYPES,
    "Scales must be numbers, not …": ARGUMENT,
    "Scales must be finite and at least 0, not …": FIELD,
    "Scales must be float32, not …": FIELD,
    "… must be a tuple, not …": ARGUMENT,
    "zero_points and axis must be ints, not …": ARGUMENT,
    "There are … scales, but … zero points": FORMATS,
    "axis must be between -1 and …, not …": FIELD,
    "There must be 1 scale for a whole tensor, not …": FORMATS,
}

"""Refusals that kernels share; each names the quantity, its limit and what was found."""

from .tensor import Tensor

__all__ = ["BIAS_SHIFT_MAX", "RANK_MAX", "check_bias", "check_image", "check_input", "check_ints",
           "check_kind", "check_rank", "check_tensor", "check_types", "check_windows"]

BIAS_SHIFT_MAX = 31  #: With a 16-bit bias, bits; an 8-bit bias saturates and has no limit.
RANK_MAX       = 4   #: Dimensions that a tensor of the library can have.
#: Bits of input, weights and bias that a kernel exists for: fx8, fx16, fx8w16d.
_TYPES = ((8, 8, 8), (16, 16, 16), (16, 8, 8))


def check_tensor(name, tensor):
    """Raise unless ``tensor`` is a Tensor with elements."""
    check_kind(name, tensor, Tensor)
    if 0 in tensor.shape:
        raise ValueError(f"{name} must not be empty, but has shape {tensor.shape}")


def check_input(name, tensor):
    """Raise unless ``tensor`` is a Tensor with elements and at most ``RANK_MAX`` dimensions."""
    check_tensor(name, tensor)
    if tensor.data.ndim > RANK_MAX:
        raise ValueError(f"{name} must have at most {RANK_MAX} dimensions, "
                         f"not {tensor.data.ndim}")


def check_kind(name, value, kind):
    """Raise TypeError unless ``value`` is a ``kind``."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        raise TypeError(f"{name} must be {article} {kind.__name__}, not {type(value).__name__}")


def check_rank(name, tensor, rank):
    """Raise ValueError unless ``tensor`` has ``rank`` dimensions."""
    if tensor.data.ndim != rank:
        raise ValueError(f"{name} must have {rank} dimensions, not {tensor.data.ndim}")


def check_ints(name, values, count):
    """Raise TypeError unless ``values`` is a tuple of ``count`` ints."""
    if not isinstance(values, tuple) or len(values) != count:
        raise TypeError(f"{name} must be a tuple of {count} ints, not {values!r}")
    if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
        raise TypeError(f"{name} must be a tuple of {count} ints, not {values!r}")


def check_image(x):
    """Raise unless ``x`` is a Tensor with elements and 3 dimensions."""
    check_tensor("Input", x)
    check_rank("Input", x, 3)


def check_windows(kernel, stride, pad, sizes):
    """Raise ValueError unless every window on an image of ``sizes`` covers at least one element.

    ``kernel``, ``stride`` and ``sizes`` are (rows, columns), ``pad`` is (top, bottom, left,
    right). With padding less than the kernel no window lies wholly on it.
    """
    for axis, name in enumerate(("rows", "columns")):
        size, step = kernel[axis], stride[axis]
        if step < 1:
            raise ValueError(f"Stride along {name} must be at least 1, not {step}")
        pads = pad[2 * axis:2 * axis + 2]
        for side in pads:
            if not 0 <= side < size:
                raise ValueError(f"Padding of {name} must be between 0 and {size - 1}, less "
                                 f"than the kernel, not {side}")
        if size > sizes[axis] + sum(pads):
            raise ValueError(f"Kernel has {size} {name}, the padded input only "
                             f"{sizes[axis] + sum(pads)}")


def check_types(x, weights, bias):
    """Raise unless these are Tensors with elements, of a type that kernels with weights take."""
    for name, tensor in (("Input", x), ("Weights", weights), ("Bias", bias)):
        check_tensor(name, tensor)
    types = (x.bits, weights.bits, bias.bits)
    if types not in _TYPES:
        raise ValueError(f"Input, weights and bias must have {_TYPES[0]}, {_TYPES[1]} or "
                         f"{_TYPES[2]} bits, not {types}")


def check_bias(x, weights, bias, outputs):
    """Raise ValueError unless ``bias`` has the shape ``outputs`` and can be aligned."""
    if bias.shape != outputs:
        raise ValueError(f"Bias must have shape {outputs}, one value an output, not {bias.shape}")
    shift = x.frac_bits + weights.frac_bits - bias.frac_bits
    if shift < 0:
        raise ValueError(f"Bias must have at most {shift + bias.frac_bits} fractional bits, those "
                         f"of input and weights together, not {bias.frac_bits}")
    if bias.bits == 16 and shift > BIAS_SHIFT_MAX:
        raise ValueError(f"A 16-bit bias can be shifted by at most {BIAS_SHIFT_MAX} bits, "
                         f"not {shift}")

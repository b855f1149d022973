"""Format of what a layer returns: shape, type and fractional bits, without computing it."""

__all__ = ["blank_output"]


def blank_output(layer, *inputs):
    """Tensor of zeros in the format of the output of ``layer`` for legal Tensors ``inputs``."""
    return layer.output_like(*inputs)

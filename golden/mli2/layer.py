"""What the layers of MLI 2.0 have in common: a format of the output."""

from golden.layer import LayerBase

from .tensor import QuantTensor

__all__ = ["Formatted", "QuantLayer", "Weighted"]


class QuantLayer(LayerBase):
    """A layer whose output has elements of the type of the first input."""

    def output_format(self, x):
        """Format of the output for a first input ``x``: that of ``x``."""
        return x.format

    def output_like(self, *x):
        """Zeros in the format of the output."""
        shape = self.output_shape(*(tensor.shape for tensor in x))
        return QuantTensor.zeros(shape, x[0].element, self.output_format(x[0]))


class Formatted(QuantLayer):
    """A layer with a field ``out``, the format of its output."""

    def output_format(self, x):
        """Format of the output for a first input ``x``, that of the input where ``out`` is None."""
        return x.format if self.out is None else self.out


class Weighted(Formatted):
    """A layer with weights and a bias, too."""

    def data_type(self, x):
        """Types of input, weights and bias as the functions of the library spell them."""
        names = [tensor.type_name for tensor in (x, self.weights, self.bias)]
        return names[0] if len(set(names)) == 1 else "_".join(names)

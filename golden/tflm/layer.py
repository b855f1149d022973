"""What the operators of TensorFlow Lite have in common: the quantisation of the output."""

from golden.layer import LayerBase

from .tensor import Tensor

__all__ = ["TensorLayer", "Weighted"]


class TensorLayer(LayerBase):
    """A layer with a field ``out``, the Quantisation of its output.

    The output has elements of the type of the first input.
    """

    def output_dtype(self, *x):
        """Numpy type of an element of the output."""
        return x[0].data.dtype

    def output_like(self, *x):
        """Zeros in the format of the output."""
        shape = self.output_shape(*(tensor.shape for tensor in x))
        return Tensor.zeros(shape, self.output_dtype(*x), self.out)


class Weighted(TensorLayer):
    """A layer with weights and a bias, which may be None, too."""

    def data_type(self, x):
        """Types of input, weights and bias as the schema spells them."""
        names = [tensor.type_name for tensor in (x, self.weights, self.bias) if tensor is not None]
        return names[0] if len(set(names)) == 1 else "_".join(names)

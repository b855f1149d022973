"""Fully connected kernel."""

from golden.fixed import matmul
from hdl.isa import RoundMode

from .arithmetic import align_bias, finish
from .layer import FullyConnected

__all__ = ["fully_connected", "run_fully_connected"]


def run_fully_connected(layer, x):
    """Apply a ``FullyConnected`` to the Tensor ``x``; see ``fully_connected``."""
    layer.check(x)
    sums = matmul(layer.weights.data, x.data.reshape(-1))
    return finish(layer, x, sums + align_bias(layer.bias, layer.bias_shift(x)))


def fully_connected(x, weights, bias, *, out_frac_bits, rounding=RoundMode.CONVERGENT):
    """Product of a matrix and the flattened input, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor of any shape
    weights, bias, out_frac_bits, rounding : see ``FullyConnected``

    Returns a Result with an output of shape (outputs,) and the dtype of ``x``; ValueError or
    TypeError for a call that ``FullyConnected.check`` refuses.
    Source: embARC MLI 1.1, kernels/common, ``mli_krn_fully_connected_*``.
    """
    return run_fully_connected(FullyConnected(weights, bias, out_frac_bits, rounding), x)

"""Recurrent kernels of MLI 2.0 as passes: a whole sequence is a loop of the program."""

from dataclasses import replace

from golden.mli2 import GruCell, LstmCell
from hdl.isa import BANKS, Memory
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout

from .gates import GruSteps, LstmSteps

__all__ = ["constants", "lower", "source_layouts", "state_layout", "target_layout"]

_STEPS = {LstmCell: LstmSteps, GruCell: GruSteps}


def source_layouts(layer, xs, preferred, ways):
    """A run for each step."""
    return (TensorLayout.of(xs[0], (0, 1), ways),)


def target_layout(layer, xs, sources):
    """A run for each output, behind the vectors that steps work on; the last one in whole tiles.

    ValueError unless the input lies step by step.
    """
    [x], [source] = xs, sources
    if source.order != (0, 1) or source.inner != 1:
        raise ValueError(f"The layer takes the steps one after the other, its input of shape "
                         f"{source.shape} lies in the order {source.order}, {source.inner} of them "
                         f"in a run")
    steps = _STEPS[type(layer)](layer, x, source)
    steps.passes()
    image = TensorLayout.of(blank_output(layer, x), (0, 1), source.ways)
    last  = image.groups - image.pitch + steps.tiles * BANKS
    return replace(image, before=steps.space.x_rows, behind=-(-last // image.row_groups)
                   - image.rows)


def constants(layer, xs, sources):
    """Weights, parameters and initial states of ``layer``, as its passes ask for them."""
    steps = _STEPS[type(layer)](layer, xs[0], sources[0])
    steps.passes()
    return steps.space.constants()


def lower(layer, xs, sources, target, values):
    """Passes of a cell; see ``host.lower.registry.lower``."""
    return _STEPS[type(layer)](layer, xs[0], sources[0], target, values).passes()


def state_layout(layer, target, values):
    """TensorLayout of the new cell that an LSTM cell with placed Constants leaves in Y."""
    return TensorLayout.flat(layer.cell, target.ways).at(values.room_row, Memory.Y)

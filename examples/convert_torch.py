# SPDX-License-Identifier: Apache-2.0
"""Convert a PyTorch model to a float32 .tflite file, and that file to int8.

``litert_torch`` traces the model with a sample input. ``ai_edge_quantizer`` runs the float file on
a representative data set, and takes each tensor's scale and zero point from these runs.
"""

import litert_torch
from ai_edge_quantizer import quantizer, recipe

REPRESENTATIVE = 200  #: Inputs of the representative data set.


def convert(model, sample, path):
    """Write the float32 file; ``sample`` is an input (1, rows, columns, channels), TensorFlow
    Lite's order, which the file takes as well."""
    import torch
    last = litert_torch.to_channel_last_io(model, args=[0])
    litert_torch.convert(last.eval(), (torch.from_numpy(sample),)).export(str(path))


def quantise(path, inputs, target):
    """Write the int8 file for the float32 file ``path``, with training inputs to represent the
    others."""
    tool = quantizer.Quantizer(str(path), recipe.static_wi8_ai8())
    name, details = next(iter(_signatures(path).items()))
    statistics = tool.calibrate({name: [{details["inputs"][0]: each[None]}
                                        for each in inputs[:REPRESENTATIVE]]})
    tool.quantize(statistics).export_model(str(target), overwrite=True)


def _signatures(path):
    from ai_edge_litert.interpreter import Interpreter
    return Interpreter(str(path)).get_signature_list()

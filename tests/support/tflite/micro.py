# SPDX-License-Identifier: Apache-2.0
"""What tflite-micro computes of a file."""

import numpy as np
import pytest

__all__ = ["open_file", "run_file"]

ARENA = 64 << 20   #: Bytes for the values of a network that live at one time.
KEPT  = 512 << 20  #: Bytes for all values of a network.


def open_file(data, *, keep=False):
    """A function that runs the next inputs in one interpreter: it returns the outputs, a list.

    Skips without the wheel. RuntimeError if the interpreter refuses the file.
    """
    interpreter, count = _open(data, keep=keep)

    def run(*inputs):
        for number, value in enumerate(inputs):
            interpreter.set_input(value, number)
        interpreter.invoke()
        return [np.array(interpreter.get_output(number)) for number in range(count)]
    return run


def _open(data, *, keep):
    """An interpreter and the count of its outputs."""
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime",
                                  reason="needs the wheel of tflite-micro")
    config = runtime.InterpreterConfig
    interpreter = runtime.Interpreter.from_bytes(
        data, arena_size=KEPT if keep else ARENA,
        intrepreter_config=config.kPreserveAllTensors if keep else config.kAllocationRecording)
    graph = runtime.convert_bytearray_to_object(bytearray(data)).subgraphs[0]
    return interpreter, graph.outputs.size


def run_file(data, *inputs, tensors=()):
    """Outputs of a fresh interpreter for ``inputs``, then the arrays of ``tensors`` by number.

    Skips without the wheel. RuntimeError if the interpreter refuses the file.
    """
    interpreter, count = _open(data, keep=bool(tensors))
    for number, value in enumerate(inputs):
        interpreter.set_input(value, number)
    interpreter.invoke()
    return [np.array(interpreter.get_output(number)) for number in range(count)] + [
        np.array(interpreter.GetTensor(number, 0)["tensor_data"]) for number in tensors]

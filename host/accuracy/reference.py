# SPDX-License-Identifier: Apache-2.0
"""A float .tflite file in LiteRT, Google's interpreter: the network before it was quantised."""

import warnings

import numpy as np

from xymac.host.errors import InputError
from xymac.host.files.foreign import check_network_file
from xymac.host.files.reading import read_file
from xymac.host.installing import install_command
from xymac.host.tflite.reader import IDENTIFIER

__all__ = ["FloatModel"]


class FloatModel:
    """A file's float32 network.

    Parameters
    ----------
    path : str or Path, a .tflite file

    Attributes
    ----------
    names : tuple of str, each tensor's name by its number
    inputs, outputs : tuples of int, tensor numbers

    InputError if LiteRT, xymac's extra ``float``, is not installed, and if it refuses the file or
    the file computes in integers.
    """

    def __init__(self, path):
        interpreter, resolver = _import_interpreter()
        content = read_file(path)
        if content[4:8] != IDENTIFIER:
            check_network_file(path)
            raise InputError(f"{path} must be a .tflite file of the float network")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the memory of all tensors, and of its own
                # Without a delegate, whose tensors inside a fused part have no values.
                self._interpreter = interpreter(
                    model_content=content, experimental_op_resolver_type=resolver,
                    experimental_preserve_all_tensors=True)
                self._interpreter.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise InputError(f"{path}: LiteRT refuses the file: {error}") from error
        self._path   = path
        self.inputs  = tuple(each["index"] for each in self._interpreter.get_input_details())
        self.outputs = tuple(each["index"] for each in self._interpreter.get_output_details())
        for each in self._interpreter.get_input_details():
            if each["dtype"] is not np.float32:
                raise InputError(f"{path} must be the float network: its input {each['name']!r} "
                                 f"must be float32, not {np.dtype(each['dtype'])}")

    def check(self, network):
        """Raise InputError unless a Network has inputs and outputs of the same shapes."""
        for what, ours, details in (
                ("inputs", network.inputs, self._interpreter.get_input_details()),
                ("outputs", [network.values[number] for number in network.outputs],
                 self._interpreter.get_output_details())):
            shapes = [[tuple(blank.shape) for blank in ours],
                      [tuple(map(int, each["shape"])) for each in details]]
            if shapes[0] != shapes[1]:
                raise InputError(f"{self._path} has {what} of {_text(shapes[1])}, and "
                                 f"{network.name} of {_text(shapes[0])}: both must be the same "
                                 f"network")

    def run(self, *inputs):
        """Compute float32 inputs; ``read`` returns tensor values afterwards."""
        for number, data in zip(self.inputs, inputs, strict=True):
            self._interpreter.set_tensor(number, np.asarray(data, np.float32))
        self._interpreter.invoke()
        return [self.read(number) for number in self.outputs]

    def read(self, number):
        """A tensor's values after a run, a float32 array; None if LiteRT keeps none."""
        try:
            return self._interpreter.get_tensor(number)
        except ValueError:  # of a tensor that an optimisation left out
            return None


def _text(shapes):
    return ", ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)


def _import_interpreter():
    """The interpreter class, and its operator resolver without a delegate."""
    try:
        from ai_edge_litert.interpreter import Interpreter, OpResolverType
    except ImportError:
        raise InputError("--float needs LiteRT, which is not installed: "
                         f"`{install_command('float')}` installs it") from None
    return Interpreter, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES

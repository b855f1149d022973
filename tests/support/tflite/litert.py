# SPDX-License-Identifier: Apache-2.0
"""What LiteRT, TensorFlow Lite's own interpreter, computes of a file."""

import pytest

__all__ = ["run_litert"]


def run_litert(data, *inputs):
    """Outputs of a fresh interpreter for ``inputs``, with its own kernels alone.

    Skips without the wheel.
    """
    litert = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the extra `float`")
    runner = litert.Interpreter(
        model_content=data,
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    runner.allocate_tensors()
    for details, value in zip(runner.get_input_details(), inputs, strict=True):
        runner.set_tensor(details["index"], value)
    runner.invoke()
    return [runner.get_tensor(details["index"]) for details in runner.get_output_details()]

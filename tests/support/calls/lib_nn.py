# SPDX-License-Identifier: Apache-2.0
"""Calls of the functions of lib_nn from the cases of the vendor's vectors."""

from pathlib import Path

import numpy as np

from xymac.golden.api.xs3 import functions as lib

VECTORS = Path(__file__).parents[2] / "vectors" / "xs3"
GUARD   = 24  #: Bytes on each side of an output, a multiple of every element.


def names_of(case):
    """Names that the function of a case can be called by: an output transform has two."""
    if case.function == "output_transform_int8":
        return ["otfn_int8" if case.config["kind"] == "group" else "otfn_int8_channelwise"]
    return [case.function]


def place(rng, array):
    """The bytes of an array as memory of another type, with others behind them."""
    spare = rng.integers(0, 256, 40, np.uint8)
    return np.concatenate([np.ascontiguousarray(array).reshape(-1).view(np.uint8), spare])


def destination(rng, expected):
    """Memory for an output, and what is around it: ``Y``, the buffer, what it must hold then."""
    buffer = rng.integers(0, 256, expected.nbytes + 2 * GUARD, np.uint8)
    wanted = buffer.copy()
    wanted[GUARD:-GUARD] = np.ascontiguousarray(expected).reshape(-1).view(np.uint8)
    return buffer[GUARD:-GUARD], buffer, wanted


def image(shape):
    return lib.nn_image_params_t(*shape)


def window(config):
    return lib.nn_window_params_t(
        lib.nn_window_shape_t(config["K_h"], config["K_w"]),
        lib.nn_window_start_t(config["start_row"], config["start_col"]),
        lib.nn_window_step_t(config["stride_v"], config["stride_h"]))


def arguments(case, memory, y):
    """Arguments of a case in the order of the library.

    ``memory`` are the inputs by the names of the case, ``y`` the memory of the output.
    """
    config, name = case.config, names_of(case)[0]
    if name.startswith("conv2d_"):
        images = image(config["X_shape"]), image(config["Y_shape"])
        ends   = (y, *(memory[key] for key in ("X", "K", "BSO")))
        return (*ends, *images) if name == "conv2d_1x1" else (
            *ends, config["zero_point"], *images, window(config))
    if name in ("maxpool2d", "avgpool2d"):
        return y, memory["X"], image(config["X_shape"]), image(config["Y_shape"]), window(config)
    if name == "avgpool2d_global":
        return (y, memory["X"], *(config[key] for key in ("bias", "scale", "shift")),
                image(config["X_shape"]))
    if name.startswith("fully_connected"):
        return (y, *(memory[key] for key in ("W", "X", "BSO")), config["C_in"], 0, config["C_out"])
    if name.startswith("fc_deepin"):
        return (*(memory[key] for key in ("W", "B", "X")), y, config["C_out"], config["C_in"],
                memory["shifts"], memory["scales"])
    return _vector_arguments(name, config, memory, y)


def _vector_arguments(name, config, memory, y):
    if name == "add_elementwise":
        params = lib.nn_add_params_t(
            tuple(lib.nn_add_input_t(config[f"shr{side}"], config[f"mult{side}"])
                  for side in (0, 1)),
            lib.nn_add_output_t(config["bias"], config["shr"]))
        return y, memory["X0"], memory["X1"], params, 0, config["N"]
    if name == "argmax_16":
        return y, memory["X"], config["N"]
    if name == "lookup8":
        return y, memory["X"], memory["lut"], 0, config["N"]
    if name == "requantize_16_to_8":
        return y, memory["X"], 0, config["N"]
    shifts = [config["initial_shift"]] if name == "otfn_int8" else []
    kind   = lib.otfn_int8_params_t if shifts else lib.otfn_int8_channelwise_params_t
    ring   = ring_of(memory["acc"][:64].view(np.int32))
    return kind(config["output_count"], *shifts, config["final_shr"]), y, ring, 0, memory["params"]


def ring_of(acc):
    """Ring buffer of 16 accumulators, int32."""
    return lib.VPURingBuffer((acc & 0xFFFF).astype(np.uint16), (acc >> 16).astype(np.int16))


def run_case(library, case, arrays, rng, lowest=None):
    """Call the function of a case by its name; asserts that memory holds what it must.

    With ``lowest`` what is less in the output of the case is this instead.
    """
    [outputs] = case.expected.values()
    memory = {name: place(rng, arrays[key]) for name, key in case.inputs.items()}
    before = {name: part.copy() for name, part in memory.items()}
    expected = arrays[outputs["Y"]]
    y, buffer, wanted = destination(rng, expected if lowest is None
                                    else np.maximum(expected, lowest))

    for name in names_of(case):
        library.function(name)(*arguments(case, memory, y))

    np.testing.assert_array_equal(buffer, wanted, case.id)
    for name, part in memory.items():
        np.testing.assert_array_equal(part, before[name], f"{case.id} {name}")

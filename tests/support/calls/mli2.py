# SPDX-License-Identifier: Apache-2.0
"""Calls of the functions of MLI 2.0 from the cases of the vendor's vectors."""

from pathlib import Path

import numpy as np

from tests.support.calls.mli2_built import PATTERN, fx, sa, table
from xymac.golden.api.mli2.configs import (
    mli_argmax_cfg,
    mli_conv2d_cfg,
    mli_fully_connected_cfg,
    mli_permute_cfg,
    mli_pool_cfg,
    mli_prelu_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_cell_cfg,
    mli_rnn_dense_cfg,
    mli_rnn_direction,
    mli_rnn_out_activation,
    mli_rnn_results,
    mli_status,
)
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.names import parse
from xymac.golden.api.mli2.types import (
    mli_data_container,
    mli_element_type,
    mli_tensor,
)
from xymac.golden.mli2 import Build

VECTORS = Path(__file__).parents[2] / "vectors" / "mli2"
OK      = mli_status.MLI_STATUS_OK
CHECKED = {build: Mli(build=build, debug="DBG_MODE_RET_CODES") for build in Build}
#: Arguments that the inputs of a case are, in the order of their preference.
ARGUMENTS = {"x": ("in_",), "w": ("weights",), "b": ("bias", "in2"), "h": ("prev_out",),
             "w_in": ("weights_in",), "w_out": ("weights_out",), "cell_in": ("cell",),
             "a": ("in1",), "slope": ("slope_coeff",)}
LUTS = {"tanh_lut": "tanh", "sigm_lut": "sigm"}


def params(quant):
    """Parameters of what the index says of a tensor."""
    return sa(**quant) if isinstance(quant, dict) else fx(quant)


def spread(shape, dtype, rng):
    """A larger buffer full of a pattern, and a strided part of it of ``shape``."""
    starts = rng.integers(0, 3, len(shape))
    steps  = rng.integers(1, 3, len(shape))
    whole  = tuple(int(start + size * step + rng.integers(0, 3))
                   for start, size, step in zip(starts, shape, steps, strict=True))
    buffer = np.full(whole, PATTERN, dtype)
    return buffer, tuple(slice(int(start), int(start + size * step), int(step))
                         for start, size, step in zip(starts, shape, steps, strict=True))


def placed(data, kind, rng=None):
    """A tensor with a copy of ``data``, a part of a larger one if there is ``rng``."""
    if rng is None:
        return mli_tensor(data.copy(), el_params=kind)
    buffer, part = spread(data.shape, data.dtype, rng)
    buffer[part] = data
    return mli_tensor(buffer[part], el_params=kind)


def _relu(config):
    return mli_relu_cfg(mli_relu_type(config["relu"] or 0))


def configuration(primitive, config):
    """Configuration structure of a case, None if its function has none."""
    fields = dict(config.get("cfg", ()))
    if "conv2d" in primitive:
        return mli_conv2d_cfg(**fields | {"relu": _relu(fields)})
    if primitive in ("lstm_cell", "gru_cell"):
        return mli_rnn_cell_cfg(
            mli_rnn_direction["RNN_DIR_" + {"FWD": "FORWARD", "BWD": "BACKWARD"}[
                config["direction"]]], mli_rnn_results[f"RNN_OUT_{config['results']}"],
            mli_rnn_out_activation[f"RNN_ACT_{config['act']}"],
            mli_data_container(mem=np.zeros(4096, np.int32)))
    return {"maxpool": lambda: mli_pool_cfg(**fields), "avepool": lambda: mli_pool_cfg(**fields),
            "fully_connected": lambda: mli_fully_connected_cfg(_relu(config)),
            "rnn_dense": lambda: mli_rnn_dense_cfg(2), "relu": lambda: _relu(config),
            "prelu": lambda: mli_prelu_cfg(config["axis"]),
            "softmax": lambda: mli_prelu_cfg(config["axis"]),
            "l2_normalize": lambda: mli_prelu_cfg(config["axis"]),
            "argmax": lambda: mli_argmax_cfg(config["axis"], config["topk"]),
            "permute": lambda: mli_permute_cfg(tuple(config["perm"]))}.get(
                primitive, lambda: None)()


def _input_params(case, name):
    config  = case.config
    formats = {"slope": config.get("slope_quant"), **config.get("quant", {})}
    quant   = formats.get({"cell_in": "cell"}.get(name, name))
    if quant is None:
        return sa() if case.function.endswith("sa8") else fx(0)
    return params(quant)


def arguments(case, arrays, rng=None):
    """Arguments of the call of a case by their names; ``out`` is not there yet."""
    name    = parse(case.function)
    tensors = {key: placed(arrays[array], _input_params(case, key), rng)
               for key, array in case.inputs.items()}
    args    = {argument: tensors[key] for argument in name.arguments
               for key, known in ARGUMENTS.items() if argument in known and key in tensors}
    if name.primitive == "rnn_dense":
        args |= {"inputs": [tensors["x"], tensors["h"]],
                 "weights": [tensors["w_in"], tensors["w_out"]]}
    args["cfg"] = configuration(name.primitive, case.config)
    args |= {argument: table(lut) for argument, lut in (
        *LUTS.items(), ("lut", name.primitive)) if argument in name.arguments}
    if "epsilon" in name.arguments:
        args["epsilon"] = mli_tensor(0, el_type=args["in_"].el_type, el_params=(
            sa() if name.data_type == "sa8" else fx(0)))
    return {key: args[key] for key in name.arguments if key in args}


def destination(case, expected, rng=None):
    """An output for what a case expects: tensor, its buffer, and the part it is.

    Places that argmax finds have no gaps.
    """
    places = "argmax" in case.function
    buffer, part = (spread(expected.shape, expected.dtype, rng) if rng is not None and not places
                    else (np.full(expected.shape, PATTERN, expected.dtype), ...))
    out = mli_tensor(buffer[part], el_params=_input_params(case, "out"))
    if places:
        out.el_type = mli_element_type.MLI_EL_SA_32
    return out, buffer, part

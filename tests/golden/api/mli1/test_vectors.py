# SPDX-License-Identifier: Apache-2.0
"""The functions by their names against outputs of the library itself."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.support.calls.mli1 import buffer, params
from xymac.golden.api.mli1.configs import (
    mli_concat_cfg,
    mli_conv2d_cfg,
    mli_padding2d_cfg,
    mli_permute_cfg,
    mli_point_to_subtsr_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_cell_cfg,
    mli_rnn_mode,
    mli_rnn_out_activation,
    mli_status,
)
from xymac.golden.api.mli1.functions import Mli
from xymac.golden.api.mli1.names import parse
from xymac.golden.api.mli1.types import mli_tensor
from xymac.hdl.isa import RoundMode

FOLDER = Path(__file__).parents[3] / "vectors"
CASES  = [case for case in json.loads((FOLDER / "index.json").read_text())
          if case["dialect"] == "mli-1"]
POINTS = [case for case in CASES if case["function"] == "mli_hlp_point_to_subtensor"]
NAMES  = {"in_": ("x",), "in1": ("a",), "in2": ("b",), "weights": ("w",), "bias": ("b",),
          "prev_out": ("h",), "cell": ("c",), "slope_coeff": ("slope",)}


@cache
def arrays(file):
    with np.load(FOLDER / file) as data:
        return dict(data)


def configuration(name, config, inputs):
    """Configuration structure of a case, None if its function has none."""
    fields = dict(config.get("cfg", ()))
    if name.primitive in ("conv2d", "depthwise_conv2d"):
        return mli_conv2d_cfg(**fields | {"relu": mli_relu_cfg(mli_relu_type(fields["relu"]))})
    if name.primitive in ("lstm_cell", "basic_rnn_cell"):
        return mli_rnn_cell_cfg(mli_rnn_mode[f"RNN_{config['mode']}"],
                                mli_rnn_out_activation[f"RNN_ACT_{config['act']}"], buffer())
    if name.primitive == "relu":
        kind = {"RELU1": "1", "RELU6": "6"}.get(config["relu"], config["relu"])
        return mli_relu_cfg(mli_relu_type[f"MLI_RELU_{kind.removeprefix('RELU_')}"])
    if name.primitive == "padding2d":
        return mli_padding2d_cfg(**{side: config[side] for side in (
            "padding_left", "padding_right", "padding_top", "padding_bottom")})
    if name.primitive == "point_to_subtensor":
        return mli_point_to_subtsr_cfg(config["start"], config["coord_num"],
                                       config["first_out_dim_size"])
    return {"maxpool": lambda: mli_pool_cfg(**fields), "avepool": lambda: mli_pool_cfg(**fields),
            "concat":  lambda: mli_concat_cfg(len(inputs), config["axis"]),
            "permute": lambda: mli_permute_cfg(tuple(config["perm"]))}.get(
                name.primitive, lambda: None)()


def call_of(case):
    """Arguments of the call of a case."""
    name, config, data = parse(case["function"]), case["config"], arrays(case["file"])
    frac_bits = {**config.get("frac", {}), "slope": config.get("slope_frac")}
    tensors   = {key: mli_tensor(data[array].copy(), el_params=params(frac_bits.get(key, 3)))
                 for key, array in case["inputs"].items()}
    args = {argument: tensors[key] for argument in name.arguments
            for key in NAMES.get(argument, ()) if key in tensors}
    args["inputs"] = list(tensors.values())
    args["cfg"]    = configuration(name, config, case["inputs"])
    args["out"]    = buffer(1 << 16, frac_bits.get("out", 3))
    expected = next(iter(case["expected"].values()))["out"]
    args["out"].el_type = data[expected].itemsize - 1
    return {argument: args[argument] for argument in name.arguments}


@pytest.mark.parametrize("rounding", [RoundMode.CONVERGENT, RoundMode.UP])
@pytest.mark.parametrize("function", sorted(
    {case["function"] for case in CASES} - {"mli_hlp_point_to_subtensor"}))
def test_names_compute_what_the_library_computed(function, rounding):
    library = Mli(rounding=rounding, debug="DBG_MODE_RET_CODES")
    variant = "convergent" if rounding is RoundMode.CONVERGENT else "up"
    for case in CASES:
        if case["function"] != function:
            continue
        args, data = call_of(case), arrays(case["file"])
        assert library.function(function)(**args) is mli_status.MLI_STATUS_OK, case["id"]
        for key, array in case["expected"][variant].items():
            expected = data[array]
            tensor   = args[key]
            memory   = tensor.data.reshape(-1).view(np.int8)[:expected.nbytes]
            np.testing.assert_array_equal(memory.view(expected.dtype).reshape(tensor.shape),
                                          expected, case["id"])
        if "frac" in case["config"]:
            assert args["out"].el_params.fx.frac_bits == case["config"]["frac"]["out"], case["id"]


@pytest.mark.parametrize("case", POINTS, ids=lambda case: case["id"])
def test_helpers_return_what_the_library_returned(case):
    args, config = call_of(case), case["config"]
    # As many coordinates as dimensions are against the documents, but the library takes them.
    whole  = config["coord_num"] == args["in_"].rank
    point  = Mli(debug="DBG_MODE_RET_CODES").mli_hlp_point_to_subtensor
    status = point(**args, documented=True)
    assert status is (mli_status.MLI_STATUS_BAD_FUNC_CFG if whole else mli_status.MLI_STATUS_OK)

    assert point(**args) is mli_status.MLI_STATUS_OK

    expected = arrays(case["file"])[case["expected"]["exact"]["out"]]
    np.testing.assert_array_equal(args["out"].data, expected)
    counts = [Mli().mli_hlp_count_elem_num(args["in_"], dim) for dim in range(args["in_"].rank)]
    assert counts == config["count_elem_num_from_dim"]
    assert Mli().mli_hlp_tensor_element_size(args["in_"]) == config["element_size"]

# SPDX-License-Identifier: Apache-2.0
"""Values of the enumerations: those that programs in C compile in."""

import pytest

from xymac.golden.api import types
from xymac.golden.api.mli1 import configs as mli1
from xymac.golden.api.mli2 import configs as mli2
from xymac.golden.api.mli2.mov.configs import mli_mov_state
from xymac.golden.api.mli2.types import mli_el_param_type, mli_element_type
from xymac.golden.api.xs3.types import FLAGS

STATUS = """
    OK BAD_TENSOR SHAPE_MISMATCH INCOMPATEBLE_TENSORS BAD_FUNC_CFG NOT_ENGH_MEM NOT_SUPPORTED
    SPEC_PARAM_MISMATCH ARGUMENT_ERROR LENGTH_ERROR SIZE_MISMATCH RANK_MISMATCH TYPE_MISMATCH
    MEM_BANK_MISMATCH MISALIGNMENT_ERROR"""
#: Enumerations whose members count from 0, in the order of the library's headers.
COUNTED = [
    (types.mli_status, "MLI_STATUS_", STATUS),
    (types.mli_relu_type, "MLI_RELU_", "NONE GEN 1 6"),
    (types.mli_rnn_out_activation, "RNN_ACT_", "NONE TANH SIGM"),
    (mli1.mli_element_type, "MLI_EL_", "FX_8 FX_16 ASYM_I8 ASYM_I32"),
    (mli1.mli_rnn_mode, "RNN_", "ONE_TO_ONE BATCH_TO_BATCH BATCH_TO_LAST"),
    (mli2.mli_rnn_direction, "RNN_DIR_", "FORWARD BACKWARD"),
    (mli2.mli_rnn_results, "RNN_OUT_", "LAST ALL"),
    (mli_el_param_type, "MLI_EL_PARAM_", "SC16_ZP16"),
    (mli_mov_state, "MLI_MOV_STATE_",
     "INVALID OPEN PREPARED DMA_CONFIGURED DMA_RUNNING DONE"),
]
TYPES = {"FX_4": 0x004, "FX_8": 0x008, "FX_16": 0x010, "SA_8": 0x108, "SA_32": 0x120,
         "FP_16": 0x210, "FP_32": 0x220}


@pytest.mark.parametrize(("kind", "prefix", "names"), COUNTED)
def test_members_count_from_0(kind, prefix, names):
    wanted = [f"{prefix}{name}" for name in names.split()]

    assert {name: int(value) for name, value in kind.__members__.items()} == {
        name: value for value, name in enumerate(wanted)}


def test_element_types_have_their_kind_and_their_bits():
    assert {name: int(value) for name, value in mli_element_type.__members__.items()} == {
        f"MLI_EL_{name}": value for name, value in TYPES.items()}


def test_flags():
    held = {name: int(value) for kind in FLAGS for name, value in kind.__members__.items()}

    assert held == {f"CONV2D_{name}_FLAG_SLICED_K": 1
                    for name in ("DEEP", "SHALLOWIN", "1X1", "DEPTHWISE")} | {
        f"{name}_FLAG_NONE": 0 for name in ("MAXPOOL2D", "AVGPOOL2D", "AVGPOOL2D_GLOBAL")}

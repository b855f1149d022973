# SPDX-License-Identifier: Apache-2.0
"""Vector unit constants under their documented names.

Limits follow the code: the document prints 65535 for 16 bits, but the unit saturates to 15 bits and
a sign.
Source: lib_nn 96bd67c, api/xs3_vpu.h.
"""

__all__ = ["CONSTANTS"]

#: By mode: vector elements, accumulators, accumulator bits, and accumulator bits in vR.
_MODES = {8: (32, 16, 32, 16), 16: (16, 16, 32, 16), 32: (8, 8, 40, 32)}


def _of_mode(bits, elements, lanes, acc_bits, low_bits):
    """Constants for a unit mode, by name without prefix."""
    highest = (1 << bits - 1) - 1
    return {"MAX": highest, "MIN": -highest, "ACC_SIZE": acc_bits, "ACC_VR_BITS": low_bits,
            "ACC_VR_MASK": (1 << low_bits) - 1,
            "EPV": elements, "EPV_LOG2": elements.bit_length() - 1,
            "ACC_PERIOD": lanes, "ACC_PERIOD_LOG2": lanes.bit_length() - 1,
            "VLMACC_ELMS": lanes, "VLMACC_ELMS_LOG2": lanes.bit_length() - 1}


#: Every constant by its name, a dict of int.
CONSTANTS = {
    **{f"VPU_INT{bits}_{name}": value for bits, numbers in _MODES.items()
       for name, value in _of_mode(bits, *numbers).items()},
    "VPU_BIN_ACC_PERIOD": 16, "XS3_VPU_VREG_WIDTH_BITS": 256, "XS3_VPU_VREG_WIDTH_BYTES": 32,
    "XS3_VPU_VREG_WIDTH_WORDS": 8,
}

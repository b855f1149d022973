# SPDX-License-Identifier: Apache-2.0
"""Conditions on element move functions, for all MLI versions.

Source: MLI 1.0 and 1.1, each function's "Conditions for Applying the Function".
"""

from .rules import BAD_TENSOR, CFG, Condition, configured, counts
from .types import dims, is_count, mli_point_to_subtsr_cfg

__all__ = ["ORDER", "POINT"]

#: Condition of a permutation.
ORDER = Condition(
    CFG, "perm_dim must name every dimension of the input once",
    lambda call: (list(call.cfg.perm_dim)[:call.in_.rank], call.in_.rank),
    lambda pair: all(is_count(index, 0, pair[1] - 1) for index in pair[0])
    and sorted(pair[0]) == list(range(pair[1])))

#: Conditions of a part of a valid tensor.
POINT = (
    Condition(BAD_TENSOR, "out must be an mli_tensor",
              lambda call: type(call.out).__name__, lambda kind: kind == "mli_tensor"),
    configured(mli_point_to_subtsr_cfg),
    Condition(CFG, "coord_num must be from 1 to the rank of the input",
              lambda call: (call.cfg.coord_num, call.in_.rank),
              lambda pair: is_count(pair[0], 1, pair[1])),
    Condition(CFG, "Every coordinate must be less than its dimension",
              lambda call: (list(call.cfg.start_coord)[:call.cfg.coord_num], dims(call.in_),
                            call.cfg.coord_num),
              lambda held: len(held[0]) == held[2] and all(
                  is_count(start, 0, size - 1)
                  for start, size in zip(held[0], held[1], strict=False))),
    *counts("first_out_dim_size", low=1),
    Condition(CFG, "The last coordinate and first_out_dim_size must stay in their dimension",
              lambda call: (call.cfg.start_coord[call.cfg.coord_num - 1]
                            + call.cfg.first_out_dim_size,
                            call.in_.shape[call.cfg.coord_num - 1]),
              lambda pair: pair[0] <= pair[1]),
)

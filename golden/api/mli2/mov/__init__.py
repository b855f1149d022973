# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 functions that move tensors: ``mli_mov_*``."""

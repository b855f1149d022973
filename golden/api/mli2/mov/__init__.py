# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensor move functions: ``mli_mov_*``."""

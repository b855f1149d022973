# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x layers as integer operations."""

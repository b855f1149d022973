# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 layers as integer operations."""

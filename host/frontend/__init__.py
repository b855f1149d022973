# SPDX-License-Identifier: Apache-2.0
"""Library layers as integer operations."""

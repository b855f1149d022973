# SPDX-License-Identifier: Apache-2.0
"""XS3 library layers as integer operations."""

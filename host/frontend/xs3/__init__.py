# SPDX-License-Identifier: Apache-2.0
"""Layers of the XS3 library as integer operations."""

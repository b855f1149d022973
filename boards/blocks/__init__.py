# SPDX-License-Identifier: Apache-2.0
"""A design's blocks, by kind, as a table and as a figure."""

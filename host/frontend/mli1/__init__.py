# SPDX-License-Identifier: Apache-2.0
"""Layers of MLI 1.x as integer operations."""

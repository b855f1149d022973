# SPDX-License-Identifier: Apache-2.0
"""Layers of MLI 2.0 as integer operations."""

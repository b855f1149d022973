# SPDX-License-Identifier: Apache-2.0
"""Layers of the libraries as integer operations."""

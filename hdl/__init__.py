# SPDX-License-Identifier: Apache-2.0
"""Amaranth sources of the core: instruction set (isa), sizes (config) and a file for each block."""

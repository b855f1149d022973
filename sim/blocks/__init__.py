# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches for the hardware blocks."""

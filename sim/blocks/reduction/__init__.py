# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches of the reduction block and its parts."""

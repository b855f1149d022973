# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches for the ECP5 cell models."""

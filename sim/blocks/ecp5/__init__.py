# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches of the ECP5 cell models."""

# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches for the issue block: step order, and wait conditions."""

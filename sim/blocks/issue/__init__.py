# SPDX-License-Identifier: Apache-2.0
"""Cocotb benches of the issue block: order of the steps, and wait conditions."""

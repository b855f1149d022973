# SPDX-License-Identifier: Apache-2.0
"""Benches of the blocks of xymac.hdl.core.fetch."""

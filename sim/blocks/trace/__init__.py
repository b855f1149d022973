# SPDX-License-Identifier: Apache-2.0
"""Benches for the blocks in xymac.hdl.core.trace."""

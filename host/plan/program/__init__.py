# SPDX-License-Identifier: Apache-2.0
"""Passes in the order in which they run, as programs that a core holds."""

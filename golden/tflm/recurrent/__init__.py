# SPDX-License-Identifier: Apache-2.0
"""Operators with a state."""

# SPDX-License-Identifier: Apache-2.0
"""Sums and states that a device keeps from case to case, where the library starts anew."""

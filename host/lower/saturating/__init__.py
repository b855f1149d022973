# SPDX-License-Identifier: Apache-2.0
"""Sums that saturate on the way."""

# SPDX-License-Identifier: Apache-2.0
"""Regression: all tests and reference calls, split into pieces for many computers."""

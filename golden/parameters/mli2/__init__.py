# SPDX-License-Identifier: Apache-2.0
"""Multipliers, shifts, biases and limits for MLI 2.0."""

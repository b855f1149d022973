# SPDX-License-Identifier: Apache-2.0
"""Multipliers, shifts, biases and limits of MLI 2.0."""

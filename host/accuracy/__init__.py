# SPDX-License-Identifier: Apache-2.0
"""Accuracy of a network: labels, scores, and the float network beside it."""

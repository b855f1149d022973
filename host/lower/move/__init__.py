# SPDX-License-Identifier: Apache-2.0
"""Kernels that move elements as copies of whole vectors."""

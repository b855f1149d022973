# SPDX-License-Identifier: Apache-2.0
"""Proofs of properties of the hardware."""

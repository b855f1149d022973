# SPDX-License-Identifier: Apache-2.0
"""Core: sequencers, AGU, memories, MAC array, output stages, reduction and write-back."""

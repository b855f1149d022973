# SPDX-License-Identifier: Apache-2.0
"""Proofs for hardware properties, by an SMT solver: ``make formal``."""

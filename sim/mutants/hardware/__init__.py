# SPDX-License-Identifier: Apache-2.0
"""Mutants of the hardware sources, all behind a single select register in the simulation."""

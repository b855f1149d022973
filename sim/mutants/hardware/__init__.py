# SPDX-License-Identifier: Apache-2.0
"""Mutants of the hardware sources, all behind one select register of a simulation."""

# SPDX-License-Identifier: Apache-2.0
"""Mutants of the golden model, the machine, the intermediate form, the lowering and the plan."""

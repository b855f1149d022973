# SPDX-License-Identifier: Apache-2.0
"""Single-element functions: maps, tables, curves and slopes."""

# SPDX-License-Identifier: Apache-2.0
"""Functions of one element: maps, tables, curves and slopes."""

# SPDX-License-Identifier: Apache-2.0
"""Functions of one element: tables, curves, slopes, and bands between thresholds."""

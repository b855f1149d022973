# SPDX-License-Identifier: Apache-2.0
"""A layer graph as a single program: order, rows, waits, run."""

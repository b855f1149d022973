# SPDX-License-Identifier: Apache-2.0
"""A graph of layers as one program: order, rows, waits, run."""

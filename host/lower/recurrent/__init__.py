# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells: a whole sequence as a loop of passes."""

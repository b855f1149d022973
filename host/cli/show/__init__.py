# SPDX-License-Identifier: Apache-2.0
"""Command results as lines, tables and figures."""

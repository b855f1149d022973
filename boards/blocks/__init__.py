# SPDX-License-Identifier: Apache-2.0
"""The blocks of a design, by kind, as a table and as a figure."""

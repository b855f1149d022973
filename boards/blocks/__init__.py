# SPDX-License-Identifier: Apache-2.0
"""The blocks of a design: kinds of them, as a table and as a figure."""

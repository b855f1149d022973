# SPDX-License-Identifier: Apache-2.0
"""Results of commands as lines, tables and figures."""

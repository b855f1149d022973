# SPDX-License-Identifier: Apache-2.0
"""Shorter command lists: transfers cut, merged, dropped or moved ahead of the programs."""

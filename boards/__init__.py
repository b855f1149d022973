# SPDX-License-Identifier: Apache-2.0
"""Boards and synthesis: place and route the core with open tools."""

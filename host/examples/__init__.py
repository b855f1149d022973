# SPDX-License-Identifier: Apache-2.0
"""Example networks, and their scripts."""

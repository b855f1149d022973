# SPDX-License-Identifier: Apache-2.0
"""Compilation of a component into a simulator."""

# SPDX-License-Identifier: Apache-2.0
"""Compile a component into a simulator."""

# SPDX-License-Identifier: Apache-2.0
"""Drivers and monitors for the benches."""

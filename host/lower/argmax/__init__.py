# SPDX-License-Identifier: Apache-2.0
"""Largest element positions."""

# SPDX-License-Identifier: Apache-2.0
"""Layers in floating point, as a device may compute them in place of the library's integers."""

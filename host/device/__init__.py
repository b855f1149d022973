# SPDX-License-Identifier: Apache-2.0
"""Devices that run programs."""

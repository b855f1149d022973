# SPDX-License-Identifier: Apache-2.0
"""Conversion between the host's bus layouts and the passes' layouts."""

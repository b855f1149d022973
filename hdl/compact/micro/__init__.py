# SPDX-License-Identifier: Apache-2.0
"""The microprogram of the compact core."""

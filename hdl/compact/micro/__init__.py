# SPDX-License-Identifier: Apache-2.0
"""The compact core's microprogram."""

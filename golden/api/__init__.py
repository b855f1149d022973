# SPDX-License-Identifier: Apache-2.0
"""Library functions by their documented C names."""

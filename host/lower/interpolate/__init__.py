# SPDX-License-Identifier: Apache-2.0
"""Image resizing whose output pixels are weighted sums over several input pixels."""

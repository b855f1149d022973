# SPDX-License-Identifier: Apache-2.0
"""Networks and layers in tiles, where the memories are too small for the whole."""

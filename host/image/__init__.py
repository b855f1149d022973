# SPDX-License-Identifier: Apache-2.0
"""Networks as images in external memory: constants, values and command lists for a DMA."""

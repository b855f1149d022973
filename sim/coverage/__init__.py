# SPDX-License-Identifier: Apache-2.0
"""Coverage of the hardware in lines of its Amaranth sources."""

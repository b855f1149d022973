# SPDX-License-Identifier: Apache-2.0
"""Hardware coverage, in lines of the Amaranth sources."""

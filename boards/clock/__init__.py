# SPDX-License-Identifier: Apache-2.0
"""A design's clock and reset, by FPGA family."""

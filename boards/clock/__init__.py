# SPDX-License-Identifier: Apache-2.0
"""Clock and reset of a design, by FPGA family."""

# SPDX-License-Identifier: Apache-2.0
"""The core in CXXRTL, yosys's simulator: a second simulator beside Verilator."""

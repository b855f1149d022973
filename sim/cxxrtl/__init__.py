# SPDX-License-Identifier: Apache-2.0
"""The core in CXXRTL, the simulator of yosys: a second simulator beside Verilator."""

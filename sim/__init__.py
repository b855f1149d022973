# SPDX-License-Identifier: Apache-2.0
"""Simulation: Verilator build, the fast harness, cocotb benches."""

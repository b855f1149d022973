"""Simulation: Verilator build, the fast harness, cocotb benches."""

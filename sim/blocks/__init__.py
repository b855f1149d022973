"""Cocotb benches of the hardware blocks."""

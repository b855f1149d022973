"""Cocotb benches of the reduction block and its parts."""

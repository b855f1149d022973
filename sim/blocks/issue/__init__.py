"""Cocotb benches of the issue block: order of the steps, and wait conditions."""

"""The cocotb benches of issue: what it issues in which order, and what it waits for."""

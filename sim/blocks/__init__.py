"""The cocotb benches of the blocks."""

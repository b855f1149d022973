"""The cocotb benches of the reduction: the block and its parts."""

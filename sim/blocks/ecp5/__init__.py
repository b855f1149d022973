"""The cocotb benches of the models of the cells of the ECP5."""

"""The kit on devices that cocotb simulates."""

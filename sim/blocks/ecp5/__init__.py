"""Cocotb benches of the ECP5 cell models."""

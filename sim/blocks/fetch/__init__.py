"""Benches of the blocks of hdl.core.fetch."""

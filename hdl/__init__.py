"""Amaranth sources of the core: the contract (isa), the sizes (config) and one file per block."""

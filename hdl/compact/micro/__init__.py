"""The microprogram of the compact core."""

"""The compact core: a microprogram runs the same passes on a handful of registers."""

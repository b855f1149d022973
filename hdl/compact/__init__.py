"""The compact core: a microprogram runs the same passes on a small datapath."""

"""Multipliers, shifts, biases and limits of MLI 2.0."""

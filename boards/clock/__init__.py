"""Clock and reset of a design, by family of FPGAs."""

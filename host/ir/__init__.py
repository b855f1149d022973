"""The integer operations between libraries and passes: exact, and known to no library."""

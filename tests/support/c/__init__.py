"""Programs in C that are linked with a core in simulation."""

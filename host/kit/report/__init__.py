"""Results of a device's cases, for people and machines."""

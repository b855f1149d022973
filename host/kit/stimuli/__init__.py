"""Generated cases: every edge occurs, within the limits of a device."""

"""RTL core as a device."""

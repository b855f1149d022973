"""The core in RTL as a device."""

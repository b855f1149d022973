"""Elements as a host has them on the bus, and as passes take them."""
